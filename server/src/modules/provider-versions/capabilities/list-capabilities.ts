// Every capability of an account: those of the environment first, then of each business account, the newest first, and after
// it of each of its numbers.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import {
  type CapabilityName,
  capabilities,
  decideCapability,
  namesOf,
  spokenIn,
  type Verdict,
  versionsOf,
  versionsRevisedAt,
} from '../../provider/index.ts';
import { type Sender, sendersOfWabas } from '../../senders/index.ts';
import { type ReadWaba, wabasFrom } from '../../wabas/index.ts';
import { accountFacts } from './require-capability.ts';
import type { ProviderCapability } from './schema.ts';

/** Where an item stands in the list: nothing comes before the environment. */
type Place = { wabaSid: string | null; senderSid: string | null; name: CapabilityName };
type Item = Place & { verdict: Verdict; observedAt: string };

export async function listCapabilities(t: TenantTx, pager: Pager) {
  const after = pager.after as [string, string, CapabilityName] | null;
  const items = await itemsFrom(t, after?.[0] || null, pager.fetch);
  const rest = after
    ? items.slice(1 + items.findIndex((item) => keyOf(item).join() === after.join()))
    : items;
  return pager.page(rest, keyOf, (item) => toResource(t, item));
}

const keyOf = ({ wabaSid, senderSid, name }: Place) => [wabaSid ?? '', senderSid ?? '', name];

/** Each business account brings several, so that as many of them as fit on a page are more than enough. */
async function itemsFrom(t: TenantTx, from: string | null, limit: number): Promise<Item[]> {
  const wabas = await wabasFrom(t, { from, limit });
  const senders = Map.groupBy(
    await sendersOfWabas(
      t,
      wabas.map(({ sid }) => sid),
    ),
    ({ wabaSid }) => wabaSid,
  );
  const ofWabas = wabas.flatMap((waba) => [
    ...itemsOfWaba(t, waba),
    ...(senders.get(waba.sid) ?? []).toReversed().flatMap((sender) => itemsOfSender(t, waba, sender)),
  ]);
  return from === null ? [...(await itemsOfAccount(t)), ...ofWabas] : ofWabas;
}

async function itemsOfAccount(t: TenantTx): Promise<Item[]> {
  const facts = { ...(await accountFacts(t)), ...spokenIn(t) };
  return namesOf('ACCOUNT').map((name) => ({
    wabaSid: null,
    senderSid: null,
    name,
    verdict: decideCapability(name, facts),
    observedAt: capabilities[name].source === 'REVIEWED_FACTS' ? versionsRevisedAt : facts.now.toISOString(),
  }));
}

const itemsOfWaba = (t: TenantTx, waba: ReadWaba): Item[] =>
  namesOf('WABA').map((name) => ({
    wabaSid: waba.sid,
    senderSid: null,
    name,
    verdict: decideCapability(name, { waba, ...spokenIn(t) }),
    observedAt: newest(waba.readAt, waba.updatedAt),
  }));

const itemsOfSender = (t: TenantTx, waba: ReadWaba, sender: Sender): Item[] =>
  namesOf('SENDER').map((name) => ({
    wabaSid: waba.sid,
    senderSid: sender.sid,
    name,
    verdict: decideCapability(name, { sender, waba, ...spokenIn(t) }),
    observedAt: newest(waba.readAt, waba.updatedAt, sender.updatedAt),
  }));

/** Facts are read together every hour, and one by one as callbacks tell of them. */
const newest = (...times: (string | null)[]): string =>
  new Date(Math.max(...times.map((time) => (time === null ? 0 : Date.parse(time))))).toISOString();

function toResource({ accountSid, livemode }: TenantTx, item: Item): ProviderCapability {
  const { wabaSid, senderSid, name, verdict, observedAt } = item;
  const { since, until } = versionsOf(name);
  return {
    object: 'provider_capability',
    accountSid,
    livemode,
    name,
    status: verdict.status,
    wabaSid,
    senderSid,
    sinceVersion: since,
    untilVersion: until,
    reason: verdict.reason,
    errorCode: verdict.errorCode,
    evidence: { source: capabilities[name].source, observedAt },
  };
}

import type { TenantTx } from '../../../platform/db/database.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { decideCapability, spokenIn } from '../../provider/index.ts';
import { connectedWabasOf, loadWabas } from '../../wabas/index.ts';
import { reviewedChanges } from './entries.ts';
import type { Concerned, ProviderChangeEntry } from './entry.ts';
import type { ProviderChange } from './schema.ts';
import { versionChanges } from './version-changes.ts';

const keyOf = ({ on, id }: ProviderChangeEntry): [string, string] => [on.date, id];
const later = (a: readonly string[], b: readonly string[]) =>
  a[0]! > b[0]! || (a[0] === b[0] && a[1]! > b[1]!);

/** What lies furthest ahead first. */
export const allChanges: readonly ProviderChangeEntry[] = [...versionChanges, ...reviewedChanges].sort(
  (a, b) => (later(keyOf(a), keyOf(b)) ? -1 : 1),
);

export async function listChanges(t: TenantTx, pager: Pager) {
  const of = await concernedBy(t);
  const after = pager.after as [string, string] | null;
  const rest = after ? allChanges.filter((entry) => later(after, keyOf(entry))) : allChanges;
  return pager.page([...rest], keyOf, (entry) => toResource(t, entry, of));
}

async function concernedBy(t: TenantTx): Promise<Concerned> {
  const spoken = spokenIn(t);
  const sids = (await connectedWabasOf(t)).map(({ sid }) => sid);
  const wabas = [...(await loadWabas(t, sids)).values()];
  return {
    apiVersion: spoken.apiVersion,
    connected: wabas.length > 0,
    marketing: wabas.some(
      (waba) => decideCapability('MARKETING_MESSAGES', { waba, ...spoken }).status === 'AVAILABLE',
    ),
  };
}

function toResource(
  { accountSid, livemode }: TenantTx,
  entry: ProviderChangeEntry,
  of: Concerned,
): ProviderChange {
  const { id, kind, title, on, affects, action, source, revisedAt } = entry;
  const { relevant, because } = entry.concerns(of);
  return {
    object: 'provider_change',
    accountSid,
    livemode,
    id,
    kind,
    title,
    date: on.date,
    datePrecision: on.precision,
    affects,
    relevant,
    because,
    actionRequired: relevant && action !== null,
    action,
    source,
    revisedAt,
  };
}

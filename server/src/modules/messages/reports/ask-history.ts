// Messages of a business account of which the provider has told nothing final: it is asked for its own history of each, and what it
// says is applied as its reports would have been. For when reports did not come because nobody was subscribed to them.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { firstSid } from '../../../platform/ids.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import { answerOf, type Connection, type ProviderStatus } from '../../provider/index.ts';
import { sendersOfWabas } from '../../senders/index.ts';
import { providerIdsOf } from '../states/provider-names.ts';
import { ranks } from '../statuses.ts';
import { applyStatuses } from './apply-statuses.ts';
import { givenUpAfterMs } from './silence.ts';

const most = 1_000;
/** So many of the newest messages of the account are looked through for them. */
const lookedThrough = 100_000;
const atOnce = 20;

type Question = { sid: string; providerMessageId: string; phoneNumberId: string };

export type Settled = {
  /** How many messages the provider was asked about, and of how many it told something new. */
  asked: number;
  settled: number;
};

export async function settleByHistory(
  context: TenantJobContext,
  wabaSid: string,
  connection: Connection,
): Promise<Settled> {
  const questions = await context.read((t) => unsettled(t, wabaSid));
  let settled = 0;
  for (let from = 0; from < questions.length && !context.signal.aborted; from += atOnce) {
    const slice = questions.slice(from, from + atOnce);
    const told = await Promise.all(slice.map((question) => ask(context, connection, question)));
    const news = told.filter((statuses) => statuses.length > 0);
    if (news.length > 0) await context.write((t) => applyStatuses(t, news.flat()));
    settled += news.length;
  }
  context.signal.throwIfAborted();
  return { asked: questions.length, settled };
}

/** Handed over, named by the provider, and neither delivered nor failed: the newest first. */
async function unsettled(t: TenantTx, wabaSid: string): Promise<Question[]> {
  const senders = await sendersOfWabas(t, [wabaSid]);
  const after = firstSid('SM', new Date(t.now.getTime() - givenUpAfterMs));
  const rows = await t.many<{ sid: string; senderSid: string }>(sql`
    select sid, sender_sid as "senderSid" from (
      select sid, sender_sid, rank, waiting from message_states
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid > ${after}
       order by sid desc limit ${lookedThrough}) newest
     where sender_sid = any(${senders.map(({ sid }) => sid)}::text[]) and not waiting
       and rank between ${ranks.sending}::integer and ${ranks.sent}::integer
     order by sid desc limit ${most}`);
  const names = await providerIdsOf(
    t,
    rows.map(({ sid }) => sid),
  );
  const numbers = new Map(senders.map(({ sid, providerPhoneNumberId }) => [sid, providerPhoneNumberId]));
  return rows.flatMap(({ sid, senderSid }) => {
    const [providerMessageId, phoneNumberId] = [names.get(sid), numbers.get(senderSid)];
    return providerMessageId && phoneNumberId ? [{ sid, providerMessageId, phoneNumberId }] : [];
  });
}

const spoken = new Set(['sent', 'delivered', 'read', 'failed']);

async function ask(
  { ports, now }: TenantJobContext,
  connection: Connection,
  { sid, providerMessageId, phoneNumberId }: Question,
): Promise<ProviderStatus[]> {
  const { events } = answerOf(
    await ports.provider.messageHistory(connection, phoneNumberId, providerMessageId),
  );
  return events
    .filter(({ status }) => spoken.has(status))
    .map(({ status, occurredAt }) => ({
      providerMessageId,
      status: status as ProviderStatus['status'],
      opaque: sid,
      occurredAt: occurredAt ?? now(),
      recipient: { waId: null, bsuid: null, parentBsuid: null },
      pricing: null,
      conversation: null,
      failure: null,
    }));
}

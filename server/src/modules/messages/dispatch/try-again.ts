// Hand-offs that the provider calls failed and that are made again: it was too busy, or the person received too much
// marketing. Its `failed` is proof that nothing was delivered, so that nobody gets a message twice. The message keeps its
// status while it waits, since a status never moves backwards; what happened is told by the hand-off's own outcome.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ProviderFailure } from '../../provider/index.ts';
import { type LiveMessage, mayBeTriedAgain } from '../states/live-messages.ts';
import { nextAfterCap, rememberCaps } from './marketing-caps.ts';

/** After this many hand-offs the provider's "later" counts as no. */
export const mostAttempts = 8;
const longestRestMs = 15 * 60 * 1000;

/** 1 s, 4 s, 16 s …, or what the provider asks for when that is longer. */
export const restBefore = (attempt: number, retryAfterMs: number | null) =>
  Math.max(Math.min(1000 * 4 ** (attempt - 1), longestRestMs), retryAfterMs ?? 0);

export type Refusal = {
  message: LiveMessage;
  failure: ProviderFailure;
  /** The provider's name of the hand-off it speaks of; null when this is its answer to that very hand-off. */
  name: string | null;
};

const isCapped = ({ message, failure }: Refusal) =>
  failure.code === 'RECIPIENT_MARKETING_CAP' && message.category === 'marketing';

/** When each of these messages is handed over again; those that failed for good are missing. */
export async function planAgain(t: TenantTx, refusals: Refusal[]): Promise<Map<string, Date>> {
  await rememberCaps(
    t,
    refusals.filter(isCapped).map(({ message }) => message.contactSid),
  );
  const hopeful = refusals.filter(
    (refusal) =>
      mayBeTriedAgain(refusal.message) &&
      (refusal.failure.retryable || (isCapped(refusal) && refusal.message.deferIfCapped)),
  );
  const histories = await historiesOf(
    t,
    hopeful.map(({ message }) => message),
  );
  return new Map(
    hopeful.flatMap((refusal) => {
      const { message } = refusal;
      const history = histories.get(message.sid) ?? noHistory;
      const at = speaksOfTheLast(refusal, history) ? nextTry(t, refusal, history) : null;
      return at ? [[message.sid, at] as const] : [];
    }),
  );
}

function nextTry(t: TenantTx, refusal: Refusal, { caps }: History): Date | null {
  const { message, failure } = refusal;
  if (isCapped(refusal)) {
    const at = nextAfterCap(t.now, caps);
    // A message that would be too late by then fails now, with the reason.
    const inTime = at && (message.expiresAt === null || new Date(message.expiresAt) > at);
    return inTime ? at : null;
  }
  if (message.attempts >= mostAttempts) return null;
  return new Date(t.now.getTime() + restBefore(message.attempts, failure.retryAfterMs));
}

type History = {
  /** What the provider calls the last hand-off, where its answer is here. */
  name: string | null;
  /** How many hand-offs before it have no name, so that a name nobody knows may be theirs. */
  unnamed: number;
  /** How many hand-offs met the marketing cap before. */
  caps: number;
};
const noHistory: History = { name: null, unnamed: 0, caps: 0 };

/** Only the failure of the last hand-off leaves none that may still arrive. */
const speaksOfTheLast = ({ name }: Refusal, history: History) =>
  name === null || name === history.name || (history.name === null && history.unnamed === 0);

async function historiesOf(t: TenantTx, messages: LiveMessage[]): Promise<Map<string, History>> {
  if (messages.length === 0) return new Map();
  const rows = await t.many<History & { sid: string }>(sql`
    select item.sid, history.* from unnest(${messages.map(({ sid }) => sid)}::text[],
        ${messages.map(({ attempts }) => attempts)}::smallint[]) as item (sid, number)
     cross join lateral (
       select max(provider_message_id) filter (where number = item.number) as name,
         count(*) filter (where number < item.number and provider_message_id is null)::integer as unnamed,
         count(*) filter (where number < item.number and code = 'RECIPIENT_MARKETING_CAP')::integer as caps
         from message_attempts
        where account_sid = ${t.accountSid} and livemode = ${t.livemode} and message_sid = item.sid) as history`);
  return new Map(rows.map((row) => [row.sid, row]));
}

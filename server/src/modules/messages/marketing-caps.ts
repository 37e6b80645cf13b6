// The provider lets a person receive only so much marketing. Whom it capped is remembered, and a message that may wait does
// so until the cap is expected to clear.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { refuseLastAttempts } from './attempts.ts';
import { wakeLanes } from './lanes.ts';
import { type LiveMessage, storeStates } from './live-messages.ts';
import { ranks, turnAt } from './statuses.ts';

// The provider asks not to try again within a day.
const capMs = 24 * 60 * 60 * 1000;

const isCapped = ({ error, category }: LiveMessage) =>
  error?.code === 'RECIPIENT_MARKETING_CAP' && category === 'marketing';

/** Of messages that just failed, those that wait instead of failing, as they are now. */
export async function deferCapped(
  t: TenantTx,
  failed: LiveMessage[],
): Promise<ReadonlyMap<string, LiveMessage>> {
  const capped = failed.filter(isCapped);
  if (capped.length === 0) return new Map();
  const until = new Date(t.now.getTime() + capMs);
  await rememberCaps(t, [...new Set(capped.map(({ contactSid }) => contactSid))].sort(), until);
  const waits = capped.filter(
    ({ deferIfCapped, expiresAt }) => deferIfCapped && (expiresAt === null || new Date(expiresAt) > until),
  );
  if (waits.length === 0) return new Map();
  await refuseLastAttempts(t, waits);
  const deferred = waits.map(
    (message): LiveMessage => ({
      ...message,
      status: 'deferred',
      rank: ranks.deferred,
      waiting: true,
      dueAt: until.toISOString(),
      turnAt: turnAt(until, message.priority).toISOString(),
      sentAt: null,
      failedAt: null,
    }),
  );
  await storeStates(t, deferred, { beginAnew: true });
  await wakeLanes(t, new Map(deferred.map(({ senderSid }) => [senderSid, until])));
  return new Map(deferred.map((message) => [message.sid, message]));
}

async function rememberCaps(t: TenantTx, contactSids: string[], until: Date): Promise<void> {
  await t.run(sql`
    insert into marketing_caps as c (account_sid, livemode, contact_sid, until, created_at)
    select ${t.accountSid}, ${t.livemode}, sid, ${until}, ${t.now} from unnest(${contactSids}::text[]) as sid
    on conflict (account_sid, contact_sid) do update set until = greatest(c.until, excluded.until)`);
}

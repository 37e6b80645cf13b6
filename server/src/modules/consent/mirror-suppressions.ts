// Brings the provider's lists of blocked people in line with the suppressions that are mirrored there. What should be and what
// is are compared again after each round: of two that run at once, whoever ends last finds what the other did.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { defineJob, enqueue, type TenantJobContext, untilDone } from '../../platform/jobs/jobs.ts';
import { addresseesOf } from '../contacts/index.ts';
import type { Connection, ProviderFailure } from '../provider/index.ts';
import { connectedSenders } from '../senders/index.ts';
import { connectionOf } from '../wabas/index.ts';
import { inForce } from './in-force.ts';

type Pair = { senderSid: string; user: string };
type Line = { connection: Connection; phoneNumberId: string };
type Step = {
  does: 'block' | 'unblock';
  senderSid: string;
  users: string[];
  /** Null for a number that has left us, and taken its list with it; only to unblock. */
  line: Line | null;
};
type Taken = Step & { failure: ProviderFailure | null };

const mostRounds = 5;

export const mirrorSuppressions = defineJob({
  name: 'consent.mirror-suppressions',
  payload: Closed({ contactSid: Sid('CT') }),
  attempts: untilDone,
  async run(context, { contactSid }) {
    for (let round = 1; round <= mostRounds; round += 1) {
      const steps = await context.write((t) => plan(t, contactSid));
      if (steps.length === 0) return;
      const taken: Taken[] = [];
      for (const step of steps) taken.push({ ...step, failure: await take(context, step) });
      await context.write((t) => record(t, contactSid, taken));
      const passing = taken.find(({ failure }) => failure?.retryable)?.failure;
      if (passing) throw new Error(`the provider's block list cannot be changed now: ${passing.reason}`);
    }
    throw new Error('what is to be blocked keeps changing');
  },
});

/** Now, and when the suppression ends by itself. */
export function queueMirroring(t: TenantTx, contactSid: string, expiresAt: string | null = null): void {
  const key = `mirror:${contactSid}`;
  enqueue(t, mirrorSuppressions, { contactSid }, { key });
  if (expiresAt !== null)
    enqueue(
      t,
      mirrorSuppressions,
      { contactSid },
      { key: `${key}:${expiresAt}`, runAt: new Date(expiresAt) },
    );
}

const nameOf = ({ senderSid, user }: Pair) => `${senderSid} ${user}`;

async function plan(t: TenantTx, contactSid: string): Promise<Step[]> {
  const users = await usersOf(t, contactSid);
  const lines = await openLines(t);
  const covered = await coveredSenders(t, contactSid, [...lines.keys()]);
  const wanted = covered.flatMap((senderSid) => users.map((user) => ({ senderSid, user })));
  const known = await t.many<Pair & { confirmed: boolean }>(sql`
    select sender_sid as "senderSid", provider_user as user, confirmed from provider_blocks
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
     order by sender_sid, provider_user`);
  const confirmed = new Set(known.filter((pair) => pair.confirmed).map(nameOf));
  const isWanted = new Set(wanted.map(nameOf));
  const toBlock = wanted.filter((pair) => !confirmed.has(nameOf(pair)));
  const toUnblock = known.filter((pair) => !isWanted.has(nameOf(pair)));
  await remember(t, contactSid, toBlock, false);
  if (wanted.length > 0 && toBlock.length === 0) await noteMirrored(t, contactSid);
  return [...stepsOf(lines, 'block', toBlock), ...stepsOf(lines, 'unblock', toUnblock)];
}

/** As the provider names them. One that was merged into another has nobody left. */
async function usersOf(t: TenantTx, contactSid: string): Promise<string[]> {
  const found = (await addresseesOf(t, [contactSid])).get(contactSid);
  if (found?.contactSid !== contactSid) return [];
  return found.identifiers
    .filter(({ identifierType }) => identifierType !== 'username')
    .map(({ value }) => value);
}

/** The senders whose lists can be changed now. */
async function openLines(t: TenantTx): Promise<Map<string, Line>> {
  const lines = new Map<string, Line>();
  for (const { sid, wabaSid, providerPhoneNumberId: phoneNumberId } of await connectedSenders(t)) {
    const connection = wabaSid && (await connectionOf(t, wabaSid));
    if (connection && phoneNumberId) lines.set(sid, { connection, phoneNumberId });
  }
  return lines;
}

/** Those on which a suppression in force wants the contact blocked. */
async function coveredSenders(t: TenantTx, contactSid: string, senderSids: string[]): Promise<string[]> {
  const rows = await t.many<{ senderSid: string | null }>(sql`
    select sender_sid as "senderSid" from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       and mirror_to_provider and mirror_failure is null and ${inForce(t.now)}`);
  const named = new Set(rows.map(({ senderSid }) => senderSid));
  return senderSids.filter((sid) => named.has(null) || named.has(sid));
}

const stepsOf = (lines: Map<string, Line>, does: Step['does'], pairs: Pair[]): Step[] =>
  [...new Set(pairs.map(({ senderSid }) => senderSid))].map((senderSid) => ({
    does,
    senderSid,
    users: pairs.filter((pair) => pair.senderSid === senderSid).map(({ user }) => user),
    line: lines.get(senderSid) ?? null,
  }));

async function take(
  { ports }: TenantJobContext,
  { does, users, line }: Step,
): Promise<ProviderFailure | null> {
  if (!line) return null;
  const ask = does === 'block' ? ports.provider.blockUsers : ports.provider.unblockUsers;
  const answered = await ask.call(ports.provider, line.connection, line.phoneNumberId, users);
  return answered.ok ? null : answered.failure;
}

async function record(t: TenantTx, contactSid: string, taken: Taken[]): Promise<void> {
  for (const { does, senderSid, users, failure } of taken) {
    if (failure?.retryable) continue;
    const pairs = users.map((user) => ({ senderSid, user }));
    if (does === 'block' && !failure) await remember(t, contactSid, pairs, true);
    else await forget(t, contactSid, senderSid, users);
    if (does === 'block' && failure) await noteRefusal(t, contactSid, senderSid, failure.code);
  }
}

async function noteMirrored(t: TenantTx, contactSid: string): Promise<void> {
  await t.run(sql`
    update suppressions set mirrored_at = ${t.now}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       and mirror_to_provider and mirrored_at is null and mirror_failure is null and ${inForce(t.now)}`);
}

/** Whoever has meanwhile become somebody else's to block is blocked again by them. */
async function forget(t: TenantTx, contactSid: string, senderSid: string, users: string[]): Promise<void> {
  await t.run(sql`
    delete from provider_blocks
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid}
       and provider_user = any (${users}::text[]) and contact_sid = ${contactSid}`);
  const others = await t.many<{ contactSid: string }>(sql`
    update provider_blocks set confirmed = false
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid}
       and provider_user = any (${users}::text[])
    returning contact_sid as "contactSid"`);
  for (const other of others) queueMirroring(t, other.contactSid);
}

async function remember(t: TenantTx, contactSid: string, pairs: Pair[], confirmed: boolean): Promise<void> {
  if (pairs.length === 0) return;
  await t.run(sql`
    insert into provider_blocks (account_sid, livemode, sender_sid, provider_user, contact_sid, confirmed, created_at)
    select ${t.accountSid}, ${t.livemode}, b.sender_sid, b.provider_user, ${contactSid}, ${confirmed}, ${t.now}
      from unnest(${pairs.map(({ senderSid }) => senderSid)}::text[], ${pairs.map(({ user }) => user)}::text[])
        as b (sender_sid, provider_user)
    on conflict (account_sid, sender_sid, provider_user)
      do update set contact_sid = excluded.contact_sid, confirmed = excluded.confirmed`);
}

/** The provider blocks them already, since before they were erased: what it is to do now is looked at again. */
export async function knowBlocked(
  t: TenantTx,
  contactSid: string,
  senderSids: readonly string[],
): Promise<void> {
  const users = await usersOf(t, contactSid);
  const pairs = senderSids.flatMap((senderSid) => users.map((user) => ({ senderSid, user })));
  await remember(t, contactSid, pairs, true);
  queueMirroring(t, contactSid);
}

/** Of two contacts whose people were put together or taken apart, what is blocked for either is looked at again. */
export async function mirrorBoth(t: TenantTx, from: string, to: string): Promise<void> {
  const both = [from, to];
  const mirrored = await t.many(sql`
    select from suppressions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${both}::text[])
       and mirror_to_provider
    union all
    select from provider_blocks
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${both}::text[])
    limit 1`);
  if (mirrored.length > 0) for (const contactSid of both) queueMirroring(t, contactSid);
}

/** Refused for good: it is said on the suppressions it was for, and tried again when it is asked for again. */
async function noteRefusal(t: TenantTx, contactSid: string, senderSid: string, code: string): Promise<void> {
  await t.run(sql`
    update suppressions set mirror_failure = ${code}
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = ${contactSid}
       and mirror_to_provider and (sender_sid is null or sender_sid = ${senderSid}) and ${inForce(t.now)}`);
}

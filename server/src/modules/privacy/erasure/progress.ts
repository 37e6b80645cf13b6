// Where an erasure stands, and whom it is of: what they were known by is sealed before it is taken from them.
import type { Mention, Person } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type Counts, firstPlace, type Place } from '../../../platform/erase-page.ts';
import { here } from '../requests.ts';

export type Phase = 'CANCEL' | 'ERASE' | 'FORGET' | 'MENTIONS' | 'FINISH';
export type Progress = {
  pass: 1 | 2;
  phase: Phase;
  place: Place;
  counts: Counts;
  mentions: Mention[];
  cleared: string[];
  settledAt: Date | null;
  /** In a sandbox: the simulator knew nobody by their names when it was last told. */
  simulatorForgot: boolean;
};

const own = (t: TenantTx, requestSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and request_sid = ${requestSid}`;

export async function beginProgress(
  t: TenantTx,
  requestSid: string,
  cleared: readonly string[],
): Promise<void> {
  await t.run(sql`
    insert into erasures (account_sid, livemode, request_sid, pass, phase, place, counts, mentions, cleared, created_at)
    values (${t.accountSid}, ${t.livemode}, ${requestSid}, 1, 'CANCEL', ${JSON.stringify(firstPlace)}::json, '{}', '[]',
      ${[...cleared]}::uuid[], ${t.now})`);
}

type Row = Omit<Progress, 'settledAt'> & { settledAt: string | null };

/** Null before it has begun. */
export async function readProgress(t: TenantTx, requestSid: string): Promise<Progress | null> {
  const row = await t.maybe<Row>(sql`
    select pass, phase, place, counts, mentions, cleared, settled_at as "settledAt",
      simulator_forgot as "simulatorForgot" from erasures where ${own(t, requestSid)} for update`);
  return row ? { ...row, settledAt: row.settledAt === null ? null : new Date(row.settledAt) } : null;
}

export async function storeProgress(t: TenantTx, requestSid: string, progress: Progress): Promise<void> {
  const { pass, phase, place, counts, mentions, cleared, settledAt, simulatorForgot } = progress;
  await t.run(sql`
    update erasures set pass = ${pass}, phase = ${phase}, place = ${JSON.stringify(place)}::json, counts = ${JSON.stringify(counts)}::json,
      mentions = ${JSON.stringify(mentions)}::json, cleared = ${cleared}::uuid[], settled_at = ${settledAt},
      simulator_forgot = ${simulatorForgot}
     where ${own(t, requestSid)}`);
}

const contextOf = ({ accountSid, livemode }: TenantTx, sid: string) =>
  `erasure:${accountSid}:${livemode}:${sid}`;

export async function sealPerson(t: TenantTx, requestSid: string, person: Person): Promise<void> {
  const sealed = t.sealer.seal(Buffer.from(JSON.stringify(person)), contextOf(t, requestSid));
  await t.run(sql`update privacy_requests set sealed_person = ${sealed} where ${here(t, requestSid)}`);
}

export async function openPerson(t: TenantTx, requestSid: string): Promise<Person | null> {
  const { sealed } = await t.one<{ sealed: Buffer | null }>(sql`
    select sealed_person as sealed from privacy_requests where ${here(t, requestSid)}`);
  return sealed && (JSON.parse(t.sealer.open(sealed, contextOf(t, requestSid)).toString()) as Person);
}

// One turn of a campaign: up to a thousand people in one transaction, under its lock. Each is admitted or refused in the transaction that
// says so, hence once, whatever dies; and nobody is once the campaign was paused or canceled.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { Allowance, admitEach, type Message } from '../../messages/index.ts';
import { sendRoom } from '../../plans/index.ts';
import { attributesOf } from '../draft/bodies.ts';
import { quietUntil } from '../draft/times.ts';
import { moveCampaign } from '../resource/move.ts';
import { type CampaignRow, here, lockCampaign } from '../resource/rows.ts';
import { hasEnded } from '../states.ts';
import { againAt, dispositionOf, evidenceOf } from './dispositions.ts';
import { type Room, roomIn } from './pace.ts';
import { peopleOf } from './people.ts';
import {
  type Decided,
  decide,
  nextDue,
  nextInLine,
  type Postponed,
  postpone,
  type Waiting,
} from './recipients.ts';
import { submissionsOf } from './submissions.ts';

export const mostInTurn = 1000;
const minuteMs = 60_000;

export type Turn = {
  row: CampaignRow;
  done: number;
  failed: number;
  /** Nothing is to be done just now; otherwise the next turn may follow at once. */
  waits: boolean;
};

export async function takeTurn(t: TenantTx, campaignSid: string): Promise<Turn> {
  const row = await begun(t, await lockCampaign(t, campaignSid));
  const later: Turn = { row, done: 0, failed: 0, waits: true };
  if (row.state !== 'RUNNING' || isResting(row, t.now)) return later;
  const plan = await sendRoom(t);
  if (plan.now === 0 && isSoon(plan.until!, t.now)) return rest(t, later, plan.until!);
  // Where the month's quota is used up, one is tried: its refusal says so, and pauses the campaign.
  const room = roomIn(row, t.now, Math.max(1, Math.min(mostInTurn, plan.now)));
  if (room.now === 0) return later;
  const waiting = await nextInLine(t, campaignSid, room.now);
  if (waiting.length > 0) return admit(t, row, room, waiting);
  if ((await nextDue(t, campaignSid)) !== null) return later;
  return { ...later, row: await moveCampaign(t, row, 'complete') };
}

const isResting = ({ restsUntil }: CampaignRow, now: Date): boolean =>
  restsUntil !== null && new Date(restsUntil) > now;

const soonMs = 60 * 60 * 1000;
const isSoon = (at: Date, now: Date) => at.getTime() - now.getTime() < soonMs;

/** The account's send rate lets nobody through at this moment: who would be refused waits instead. */
async function rest(t: TenantTx, turn: Turn, until: Date): Promise<Turn> {
  await t.run(
    sql`update campaigns set rests_until = ${until}, updated_at = ${t.now} where ${here(t, turn.row.sid)}`,
  );
  return turn;
}

/** A scheduled campaign runs once the first of its people is due. */
async function begun(t: TenantTx, row: CampaignRow): Promise<CampaignRow> {
  if (row.state !== 'SCHEDULED') return row;
  const due = await nextDue(t, row.sid);
  if (due !== null && due > t.now) return row;
  return moveCampaign(t, row, 'start', { also: sql`, started_at = ${t.now}` });
}

// Whoever resumes it wakes it.
const restMs = 3650 * 86_400_000;

/** When there is something to be done for it again. */
export async function looksAgainAt(t: TenantTx, campaignSid: string): Promise<Date> {
  const row = await lockCampaign(t, campaignSid);
  if (hasEnded(row.state)) return t.now;
  if (row.state === 'PAUSED') return new Date(t.now.getTime() + restMs);
  if (isResting(row, t.now)) return new Date(row.restsUntil!);
  const { now, until } = roomIn(row, t.now, mostInTurn);
  if (now === 0) return until!;
  return (await nextDue(t, campaignSid)) ?? t.now;
}

async function admit(t: TenantTx, row: CampaignRow, room: Room, waiting: Waiting[]): Promise<Turn> {
  const { awake, quiet } = byQuietHours(t, row, waiting);
  const allowance = allowanceOf(row);
  const ends = await admitAwake(t, row, awake, allowance);
  const { decided, postponed, rests, pauses } = sortOut(t, ends);
  await Promise.all([decide(t, row.sid, decided), postpone(t, row.sid, [...quiet, ...postponed])]);
  const admitted = decided.filter(({ messageSid }) => messageSid !== null).length;
  const refused = decided.length - admitted;
  await t.run(sql`
    update campaigns set admitted = admitted + ${admitted}::integer, refused = refused + ${refused}::integer,
      reserved_minor = reserved_minor + ${(allowance?.takenMinor ?? 0n).toString()}::bigint,
      pace_from = ${room.from}, pace_taken = ${room.taken + admitted}::integer, rests_until = ${rests}, updated_at = ${t.now}
     where ${here(t, row.sid)}`);
  if (pauses) await moveCampaign(t, row, 'pause', { reason: pauses.code });
  return { row, done: decided.length, failed: refused, waits: false };
}

/** Those for whom it is night are due when their quiet hours are over. */
function byQuietHours(t: TenantTx, row: CampaignRow, waiting: Waiting[]) {
  const { quietHours } = row.definition;
  const quiet: Postponed[] = [];
  if (!quietHours) return { awake: waiting, quiet };
  const untilIn = new Map<string, Date | null>();
  const awake = waiting.filter(({ position, timezone }) => {
    const zone = timezone ?? row.fallbackTimezone!;
    if (!untilIn.has(zone)) untilIn.set(zone, quietUntil(zone, quietHours, t.now));
    const until = untilIn.get(zone)!;
    if (until === null) return true;
    // On the nights clocks are put back a time may have been shown before.
    quiet.push({ position, dueAt: new Date(Math.max(until.getTime(), t.now.getTime() + minuteMs)) });
    return false;
  });
  return { awake, quiet };
}

const allowanceOf = ({ budgetMinor, budgetCurrency, budgetScale, reservedMinor }: CampaignRow) =>
  budgetMinor === null
    ? null
    : new Allowance({
        limitMinor: BigInt(budgetMinor) - BigInt(reservedMinor),
        currency: budgetCurrency!,
        scale: budgetScale!,
      });

type End = { position: number; variant: number | null; end: Message | ApiError };

async function admitAwake(
  t: TenantTx,
  row: CampaignRow,
  awake: Waiting[],
  allowance: Allowance | null,
): Promise<End[]> {
  if (awake.length === 0) return [];
  const submit = submissionsOf(t, row);
  const people = await peopleOf(t, row.sid, awake, attributesOf(row.definition));
  const submitted = awake.map(({ contactSid }, at) => submit(contactSid, people[at]!));
  const ends = await admitEach(t, submitted, { allowance });
  return awake.map(({ position }, at) => ({ position, variant: submitted[at]!.variant, end: ends[at]! }));
}

function sortOut(t: TenantTx, ends: End[]) {
  const decided: Decided[] = [];
  const postponed: Postponed[] = [];
  let rests: Date | null = null;
  let pauses: ApiError | null = null;
  for (const { position, variant, end } of ends) {
    const refusal = end instanceof ApiError ? end : null;
    const disposition = refusal ? dispositionOf(refusal) : 'final';
    if (disposition === 'waits') postponed.push({ position, dueAt: againAt(refusal!, t.now) });
    else if (disposition === 'rests') rests ??= againAt(refusal!, t.now);
    else if (disposition === 'pauses') pauses ??= refusal;
    else
      decided.push({ position, variant, ...(end instanceof ApiError ? refusedWith(end) : admittedAs(end)) });
  }
  return { decided, postponed, rests, pauses };
}

const admittedAs = ({ sid }: Message) => ({ messageSid: sid, code: null, message: null, evidence: null });

const refusedWith = (refusal: ApiError) => ({
  messageSid: null,
  code: refusal.code,
  message: refusal.message,
  evidence: evidenceOf(refusal),
});

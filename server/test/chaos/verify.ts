// What must hold after everything was killed under load: read from the data, and from the provider's own record.
import type pg from 'pg';
import { verifyDays } from '../../src/modules/analytics/index.ts';
import { verifyLedger } from '../../src/modules/billing/index.ts';
import { ranks, type Status } from '../../src/modules/messages/statuses.ts';
import type { Database, Tenant } from '../../src/platform/db/database.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { systemPrincipal } from '../../src/platform/principal.ts';
import { verifyRuns } from './customers.ts';
import type { Load } from './load.ts';

export type Handed = { opaque: string; events: { status: string; callback: string }[] };
/** What the provider accepted of the service, and the ids of messages that the service took of it. */
export type Witnessed = { handed: Handed[]; taken: string[] };
export type Findings = {
  broken: string[];
  statuses: Record<string, number>;
  /** Left unknown by a process that died, without the provider having accepted them: killed in the moment of the call. */
  unknownUnseen: number;
  /** How often a workflow was run. */
  runs: number;
};

/** Counts the accounts with events that workflows or analytics have not looked at. */
export const eventsAhead = `select count(*) from event_cursors c join event_heads h using (account_sid, livemode)
  where c.consumer in ('workflows', 'analytics') and h.sequence > c.sequence`;

type Row = {
  sid: string;
  status: Status;
  rank: number;
  waiting: boolean;
  final: string | null;
  hold: string | null;
  /** Sent by a workflow, not by a client. */
  byRun: boolean;
};

export async function verify(
  owner: pg.Client,
  database: Database,
  load: Load,
  { handed, taken }: Witnessed,
): Promise<Findings> {
  const broken: string[] = [];
  const { rows } = await owner.query<Row>(
    `select s.sid, s.status, s.rank, s.waiting, s.final_minor as final, h.state as hold,
       starts_with(m.created_by, 'workflow:') as "byRun"
       from message_states s join messages m on m.account_sid = s.account_sid and m.sid = s.sid
       left join message_holds h on h.account_sid = s.account_sid and h.message_sid = s.sid
      where m.direction = 'outbound'`,
  );
  const messages = new Map(rows.map((row) => [row.sid, row]));
  keptAll(load, messages, broken);
  handedOnce(handed, messages, broken);
  furthestReported(handed, messages, broken);
  for (const row of rows) moneyFits(row, broken);
  for await (const report of verifyLedger(database)) {
    if (report.broken) broken.push(`the ledger of ${report.accountSid}: ${JSON.stringify(report.broken)}`);
  }
  await eventsInOrder(owner, broken);
  await nothingStuck(owner, broken);
  await keptTaken(owner, taken, broken);
  await countedRight(owner, database, broken);
  const runs = await verifyRuns(owner, handed, broken);
  const unknownUnseen = await unknownOnlyWhereCalled(owner, handed, broken);
  const statuses: Record<string, number> = {};
  for (const { status } of rows) statuses[status] = (statuses[status] ?? 0) + 1;
  return { broken, statuses, unknownUnseen, runs };
}

function keptAll(
  { acknowledged, keys, doubled, refusals }: Load,
  messages: Map<string, Row>,
  broken: string[],
) {
  for (const sid of acknowledged.values()) {
    if (!messages.has(sid)) broken.push(`${sid} was acknowledged and is not there`);
  }
  if (new Set(acknowledged.values()).size !== acknowledged.size) broken.push('two keys share a message');
  const made = [...messages.values()].filter(({ byRun }) => !byRun).length;
  if (made > keys) broken.push(`${keys} keys made ${made} messages`);
  for (const key of doubled) broken.push(`${key} was answered with two messages`);
  for (const text of refusals) broken.push(`a send was refused: ${text}`);
}

async function keptTaken(owner: pg.Client, taken: string[], broken: string[]): Promise<void> {
  const { rows } = await owner.query<{ id: string }>(
    `select distinct id from unnest($1::text[]) as id
      where id not in (select provider_message_id from provider_messages)`,
    [taken],
  );
  for (const { id } of rows) broken.push(`${id} was taken of the provider and is not there`);
}

/** Analytics are what a recount says: their own, day by day, and one of all messages by status. */
async function countedRight(owner: pg.Client, database: Database, broken: string[]): Promise<void> {
  const { rows: tenants } = await owner.query<Tenant>(
    `select account_sid as "accountSid", livemode from event_heads`,
  );
  for (const tenant of tenants) {
    const principal = systemPrincipal('chaos', tenant.livemode);
    const asking = () => ({ principal, now: new Date(), requestId: 'chaos', log: silentLog });
    for await (const { differences } of verifyDays(database, tenant, asking))
      for (const one of differences) broken.push(`analytics of ${tenant.accountSid}: ${JSON.stringify(one)}`);
  }
  const { rows } = await owner.query<{ status: string; counted: string; there: string }>(
    `select status, coalesce(counted, 0) as counted, coalesce(there, 0) as there
       from (select account_sid, status, sum(messages) as counted from analytics_days group by 1, 2) a
       full join (select account_sid, status, count(*) as there from message_states group by 1, 2) m
         using (account_sid, status)
      where coalesce(counted, 0) <> coalesce(there, 0)`,
  );
  for (const { status, counted, there } of rows)
    broken.push(`${there} messages of an account are ${status}, and analytics say ${counted}`);
}

function handedOnce(handed: Handed[], messages: Map<string, Row>, broken: string[]): void {
  const times = new Map<string, number>();
  for (const { opaque } of handed) times.set(opaque, (times.get(opaque) ?? 0) + 1);
  for (const [sid, count] of times) {
    if (count > 1) broken.push(`${sid} was handed over ${count} times`);
    if (!messages.has(sid)) broken.push(`${sid} was handed over and is not there`);
  }
}

/** A message is unknown only where a call had begun; what was merely next in line goes on. Tells how many were never accepted. */
async function unknownOnlyWhereCalled(owner: pg.Client, handed: Handed[], broken: string[]): Promise<number> {
  const { rows } = await owner.query<{ sid: string; called: boolean; died: boolean }>(
    `select s.sid, last.outcome is not distinct from 'unknown' as called, last.code is null as died
       from message_states s left join message_attempts last
         on last.account_sid = s.account_sid and last.message_sid = s.sid and last.number = s.attempts
      where s.status = 'unknown'`,
  );
  for (const { sid } of rows.filter(({ called }) => !called))
    broken.push(`${sid} is unknown and was not called`);
  const seen = new Set(handed.map(({ opaque }) => opaque));
  return rows.filter(({ sid, died }) => died && !seen.has(sid)).length;
}

const asOurs = (status: string) => (status === 'played' ? 'read' : status) as Status;

function furthestReported(handed: Handed[], messages: Map<string, Row>, broken: string[]): void {
  for (const { opaque, events } of handed) {
    const told = events
      .filter(({ callback }) => callback === 'DELIVERED')
      .map(({ status }) => asOurs(status));
    const best = told.reduce<Status | null>((a, b) => (a === null || ranks[b] > ranks[a] ? b : a), null);
    const row = messages.get(opaque);
    if (!row) continue;
    const fits = best === null ? row.rank <= ranks.unknown : row.status === best;
    if (!fits) broken.push(`${opaque} is ${row.status}, and the provider reported ${best ?? 'nothing'}`);
  }
}

const neverCharged = new Set<Status>(['failed', 'canceled', 'expired']);

/** Money is held for exactly the messages whose price is still open. */
function moneyFits({ sid, status, final, hold }: Row, broken: string[]): void {
  const open = final === null && !neverCharged.has(status);
  if ((hold === 'held') !== open) broken.push(`${sid} is ${status} at ${final}, and its money ${hold}`);
}

async function eventsInOrder(owner: pg.Client, broken: string[]): Promise<void> {
  const { rows: gaps } = await owner.query(
    `select e.account_sid, e.livemode, count(*) as events, max(e.sequence) as last, max(h.sequence) as head
       from events e left join event_heads h using (account_sid, livemode)
      group by 1, 2 having count(*) <> max(e.sequence) or max(h.sequence) <> max(e.sequence) or min(e.sequence) <> 1`,
  );
  for (const gap of gaps) broken.push(`the events have a gap: ${JSON.stringify(gap)}`);
  const { rows } = await owner.query<{ sid: string; statuses: Status[] }>(
    `select resource_sid as sid, array_agg(data ->> 'status' order by sequence) as statuses from events
      where type like 'message.%' and type <> 'message.priced' group by 1`,
  );
  for (const { sid, statuses } of rows) {
    const told = statuses.map((status) => ranks[status]);
    if (told.some((rank, i) => i > 0 && rank <= told[i - 1]!)) {
      broken.push(`the events of ${sid} go back: ${statuses.join(', ')}`);
    }
  }
}

async function nothingStuck(owner: pg.Client, broken: string[]): Promise<void> {
  const none = async (what: string, query: string) => {
    const { rows } = await owner.query<{ n: string }>(`select count(*) as n ${query}`);
    if (Number(rows[0]!.n) > 0) broken.push(`${rows[0]!.n} ${what}`);
  };
  await none('messages still wait', 'from message_states where waiting');
  await none('hand-offs have no end', 'from message_attempts where ended_at is null');
  await none('callbacks are not done', `from provider_callback_work`);
  await none('runs of workflows wait to go on', 'from workflow_wakes');
  await none('events wait for runs of workflows', 'from workflow_mail');
  await none(
    'accounts have events that workflows or analytics did not look at',
    `from (${eventsAhead}) as ahead where count > 0`,
  );
  await none(
    'messages are sending without having been accepted',
    `from message_states s where status = 'sending' and not exists (
       select from message_attempts a where a.account_sid = s.account_sid and a.message_sid = s.sid and outcome = 'accepted')`,
  );
}

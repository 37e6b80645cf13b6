// What it costs to wake runs whose time has come while many more wait, beside the same where nobody else waits. Each in a service and
// a database of its own.
import type { Context, Row } from '../../part.ts';
import { tellEach } from '../../statements.ts';
import { median } from '../billing/median.ts';
import { type Account, openPlace, type Place, type Round, rowOf } from './place.ts';

// The aim was set for 1,000,000 and 10,000.
const waiting = Number(process.env.BENCH_WAITING ?? 100_000);
const wakes = Number(process.env.BENCH_WAKES ?? 1_000);
const rounds = 5;
const most = 1.2;

type Waiting = { place: Place; account: Account; model: string; filled: number };

export async function measureWakes(context: Context): Promise<Row[]> {
  const open: Waiting[] = [];
  try {
    const few = await openWaiting(context, wakes);
    open.push(few);
    const many = await openWaiting(context, waiting);
    open.push(many);
    const told = new Map<Waiting, Round[]>(open.map((one) => [one, []]));
    for (let round = 0; round <= rounds; round += 1) {
      context.say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
      for (const one of open) {
        const took = await wake(one);
        if (round > 0) told.get(one)!.push(took);
      }
    }
    await tellEach({ ...context, statements: context.stage.statements }, wakes, {
      [nameOf(wakes)]: () => wake(few),
      [nameOf(waiting)]: () => wake(many),
    });
    const cpu = ({ serverMicros, databaseMicros }: Round) => serverMicros + databaseMicros;
    const [ofFew, ofMany] = [told.get(few)!, told.get(many)!];
    return [
      await rowOf(nameOf(wakes), few.place, ofFew),
      {
        ...(await rowOf(nameOf(waiting), many.place, ofMany)),
        ratio: median(ofMany.map((round, at) => cpu(round) / cpu(ofFew[at]!))),
        most,
      },
    ];
  } finally {
    for (const { place } of open) await place.close();
  }
}

const spoken = (number: number) => number.toLocaleString('en');

const nameOf = (among: number) =>
  `${spoken(wakes)} woken among ${spoken(among)} that wait, by processor time`;

/** One run comes to wait as all do; the others are copies of it. */
async function openWaiting(context: Context, among: number): Promise<Waiting> {
  const place = await openPlace(context, { accounts: 1, people: 1 });
  const [account] = place.accounts as [Account];
  await place.publish(account, 'CUSTOM_WAIT', [
    { type: 'wait', seconds: 864_000 },
    { type: 'set_variable', name: 'woken', value: true },
    { type: 'stop' },
  ]);
  await place.happens(account, 'CUSTOM_WAIT', 1);
  let model: string | undefined;
  while (!model) {
    const { rows } = await place.client.query<{ sid: string }>(
      `select sid from workflow_runs where state = 'WAITING'`,
    );
    model = rows[0]?.sid;
  }
  const one = { place, account, model, filled: 0 };
  context.say(`${spoken(among)} runs that wait`);
  await fill(one, among - wakes, false);
  return one;
}

/** Copies of the model; their time has come, or comes in days. */
async function fill(one: Waiting, many: number, isDue: boolean): Promise<void> {
  const { client } = one.place;
  if (many <= 0) return;
  await client.query('set session_replication_role = replica');
  await client.query(
    `with model as (select * from workflow_runs where sid = $1),
       copy as (
         insert into workflow_runs (account_sid, livemode, sid, workflow_sid, version, state, contact_sid, subject_sid,
           event_sequence, event_sid, event_type, event_data, depth, cursor, memory, entries, started_at, timeout_at, updated_at)
         select account_sid, livemode, 'WR01K3SAMP1E' || lpad(n::text, 16, '0'), workflow_sid, version, state,
           'CT01K3SAMP1E' || lpad(n::text, 16, '0'), 'CT01K3SAMP1E' || lpad(n::text, 16, '0'), 1000000000 + n, event_sid,
           event_type, event_data, depth,
           case when $4 then replace(cursor::text, cursor -> 'waiting' ->> 'wakeAt', '2020-01-01T00:00:00.000Z')::json
                else cursor end,
           memory, entries, started_at, timeout_at, updated_at
           from model cross join generate_series($2::integer + 1, $2::integer + $3::integer) as n
         returning account_sid, livemode, sid, workflow_sid, contact_sid)
     insert into workflow_wakes (account_sid, livemode, run_sid, workflow_sid, contact_sid, names, listening, due_at)
     select c.account_sid, c.livemode, c.sid, c.workflow_sid, c.contact_sid, w.names, w.listening,
       case when $4 then now() else w.due_at end
       from copy c cross join (select * from workflow_wakes where run_sid = $1) as w`,
    [one.model, one.filled, many, isDue],
  );
  await client.query('set session_replication_role = origin');
  one.filled += many;
}

/** Lets the time of as many come at once. */
async function wake(one: Waiting): Promise<Round> {
  const { client } = one.place;
  await fill(one, wakes, true);
  await client.query('vacuum analyze workflow_runs, workflow_wakes');
  return one.place.untilComplete(wakes, async () => {
    await client.query('update workflow_lanes set due_at = now()');
    await client.query(`select pg_notify('workflows', '')`);
  });
}

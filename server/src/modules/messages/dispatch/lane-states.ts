// What operators see of the lanes. It is asked for whenever `/metrics` is, so that its cost may grow with the lanes and never with
// what waits in them.
import { Gauge } from 'prom-client';
import type { SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Observing } from '../../../platform/module.ts';
import { askedOnce } from '../../../platform/observability/metrics.ts';

const states = ['leased', 'due', 'later', 'idle'] as const;
export type LaneState = { state: (typeof states)[number]; lanes: number; waiting: number };

/** Where so many wait or more, this many are told: whoever looks wants to know that they pile up. */
export const mostCounted = 10_000;

/** How many lanes and waiting messages there are, by what their lane is doing. */
export async function laneStates(s: SystemTx, now: Date): Promise<LaneState[]> {
  const state = sql`case when lane.holder is not null then 'leased' when lane.due_at <= ${now} then 'due'
    when lane.due_at is not null then 'later' else 'idle' end`;
  const rows = await s.many<LaneState>(sql`
    with recursive queue as (${nextQueue(sql`true`)}
      union all
      select next.* from queue cross join lateral (
        ${nextQueue(sql`(m.account_sid, m.sender_sid) > (queue.account_sid, queue.sender_sid)`)}) as next),
    counted as (select ${state} as state, count(*)::integer as lanes from dispatch_lanes lane group by 1),
    filled as (
      select account_sid, sender_sid, ${state} as state from queue join dispatch_lanes lane using (account_sid, sender_sid))
    select state, lanes, (
        select count(*)::integer from (
          select from filled cross join lateral (
            select from message_states m
             where m.account_sid = filled.account_sid and m.sender_sid = filled.sender_sid and m.waiting
             limit ${mostCounted}) as one
           where filled.state = counted.state limit ${mostCounted}) as message) as waiting
      from counted`);
  const found = new Map(rows.map((row) => [row.state, row]));
  return states.map((known) => found.get(known) ?? { state: known, lanes: 0, waiting: 0 });
}

/** From one lane with something in it to the next by one look into the index, past whatever waits in between. */
const nextQueue = (after: ReturnType<typeof sql>) => sql`(
  select m.account_sid, m.sender_sid from message_states m where m.waiting and ${after}
   order by m.account_sid, m.sender_sid limit 1)`;

/** Lanes and what waits in them are counted when somebody asks. */
export function observeLanes({ registry, database, now }: Observing): void {
  const ask = askedOnce(() => database.system((s) => laneStates(s, now())));
  new Gauge({
    name: 'godwit_dispatch_lanes',
    help: 'Lanes by state: leased by somebody, due and not leased, or with something scheduled for later',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      for (const { state, lanes } of (await ask()) ?? []) this.set({ state }, lanes);
    },
  });
  new Gauge({
    name: 'godwit_messages_waiting',
    help: 'Messages that wait for their turn, by the state of their lane; counted up to 10000 a state, which then means as many or more',
    labelNames: ['lane'],
    registers: [registry],
    async collect() {
      for (const { state, waiting } of (await ask()) ?? []) this.set({ lane: state }, waiting);
    },
  });
}

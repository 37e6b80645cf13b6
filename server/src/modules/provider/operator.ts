// What an operator sees of callbacks that are not done, and how they are tried again.
import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';

export type CallbackState = 'due' | 'kept' | 'parked';
export type WaitingCallback = {
  id: string;
  environment: 'live' | 'sandbox';
  state: CallbackState;
  receivedAt: string;
  attempts: number;
  bytes: number;
  note: string | null;
};

const columns = sql`w.id, case when c.livemode then 'live' else 'sandbox' end as environment, w.state,
  c.received_at as "receivedAt", w.attempts, w.bytes, w.note`;

/** The newest that are not done: of one state, or of any. */
export function findCallbacks(
  s: SystemTx,
  { state, limit }: { state: CallbackState | null; limit: number },
): Promise<WaitingCallback[]> {
  return s.many<WaitingCallback>(sql`
    select ${columns} from provider_callback_work w join provider_callbacks c using (id)
     where ${state}::text is null or w.state = ${state} order by w.id desc limit ${limit}`);
}

/** One callback with its body, done or not; undefined when it is gone. */
export function showCallback(
  s: SystemTx,
  id: string,
): Promise<(Omit<WaitingCallback, 'state'> & { state: CallbackState | 'done'; body: Buffer }) | undefined> {
  return s.maybe(sql`
    select c.id, case when c.livemode then 'live' else 'sandbox' end as environment,
      coalesce(w.state, 'done') as state, c.received_at as "receivedAt", coalesce(w.attempts, 0) as attempts,
      octet_length(c.body) as bytes, w.note, c.body
      from provider_callbacks c left join provider_callback_work w using (id) where c.id = ${id}`);
}

/** Sets these, or all of a state, to work again; what of them was applied already is not applied twice. */
export function retryCallbacks(
  s: SystemTx,
  which: { ids: string[] } | { state: 'kept' | 'parked' },
): Promise<number> {
  const chosen = 'ids' in which ? sql`id = any (${which.ids}::bigint[])` : sql`state = ${which.state}`;
  return s.run(sql`
    update provider_callback_work set state = 'due', attempts = 0, due_at = '-infinity' where ${chosen}`);
}

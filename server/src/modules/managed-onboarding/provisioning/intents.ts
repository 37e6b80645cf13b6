// What is begun outside is written down first, so that a run that finds it without an end looks what became of it before it asks again.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

export type Call =
  | 'ORDER'
  | 'PORT_IN'
  | 'ADD'
  | 'REQUEST_CODE'
  | 'VERIFY'
  | 'REGISTER'
  | 'SUBSCRIBE'
  | 'RELEASE';

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and application_sid = ${sid}`;

export async function isBegun(t: TenantTx, sid: string, call: Call): Promise<boolean> {
  const row = await t.maybe(sql`
    select from managed_intents where ${here(t, sid)} and call = ${call} and ended_at is null limit 1`);
  return row !== undefined;
}

export const beginIntent = (t: TenantTx, sid: string, call: Call): Promise<number> =>
  t.run(sql`
    insert into managed_intents (account_sid, livemode, application_sid, n, call, begun_at)
    select ${t.accountSid}, ${t.livemode}, ${sid}, coalesce(max(n), 0) + 1, ${call}, ${t.now} from managed_intents
     where account_sid = ${t.accountSid} and application_sid = ${sid}`);

/** With the commit that writes down what came of it. */
export const endIntents = (t: TenantTx, sid: string, call: Call, outcome: string): Promise<number> =>
  t.run(sql`
    update managed_intents set outcome = ${outcome}, ended_at = ${t.now}
     where ${here(t, sid)} and call = ${call} and ended_at is null`);

// Reads what the provider lets a business account send: whether it is onboarded to the marketing messages transport, and
// which catalogs are connected to it. No callback tells of a catalog; the hourly reading does.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { emit } from '../../platform/events.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { enqueue, type TenantJobContext } from '../../platform/jobs/jobs.ts';
import { answerOf, type Connection } from '../provider/index.ts';
import { wabaEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { getWaba } from './resource.ts';
import { connectionOf, requireWaba, type WabaFacts } from './wabas.ts';

export const wabaReading = { name: 'wabas.read', payload: Closed({ wabaSid: Sid('WB') }), attempts: 5 };

/** Asks for a reading, one however often it is asked for meanwhile. */
export const requestWabaFacts = (t: TenantTx, wabaSid: string) =>
  enqueue(t, wabaReading, { wabaSid }, { key: `waba/${wabaSid}` });

export type Reached = { connection: Connection; wabaId: string };

/** The way to a business account and what the provider calls it; null when it is not connected. */
export async function reach(t: TenantTx, wabaSid: string): Promise<Reached | null> {
  const connection = await connectionOf(t, wabaSid);
  return connection && { connection, wabaId: (await requireWaba(t, wabaSid)).providerWabaId };
}

export async function readFacts(
  { write, ports }: TenantJobContext,
  hooks: WabaHooks,
  wabaSid: string,
  { connection, wabaId }: Reached,
): Promise<void> {
  const { marketingMessages } = answerOf(await ports.provider.getWaba(connection, wabaId));
  const catalogs = await ports.provider.listCatalogs(connection, wabaId);
  if (!catalogs.ok && catalogs.failure.retryable) answerOf(catalogs);
  // A token that may not look at catalogs leaves them unknown, and unknown ones are not held against anybody.
  const catalogIds = catalogs.ok ? catalogs.value.catalogIds : null;
  await write((t) => storeFacts(t, hooks, wabaSid, { marketingMessages, catalogIds }));
}

async function storeFacts(t: TenantTx, hooks: WabaHooks, wabaSid: string, facts: WabaFacts): Promise<void> {
  const { marketingMessages, catalogIds } = facts;
  const changed = await t.run(sql`
    update wabas set marketing_messages = ${marketingMessages}, catalog_ids = ${catalogIds}::text[], updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${wabaSid}
       and (marketing_messages, catalog_ids) is distinct from (${marketingMessages}::text, ${catalogIds}::text[])`);
  if (changed > 0) emit(t, wabaEvents.updated, await getWaba(t, hooks, wabaSid));
}

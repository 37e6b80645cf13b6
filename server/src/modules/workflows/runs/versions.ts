// What versions say, prepared for the interpreter. A version never changes, so each process prepares it once.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { neededScopes } from '../analysis/needs.ts';
import type { Definition } from '../definition/actions.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import { type Program, prepare } from '../interpreter/program.ts';

export type Version = {
  program: Program;
  definition: Definition;
  /** The types of event its waits listen to. */
  waitNames: string[];
  /** What its runs may do, which whoever published it held. */
  scopes: ReadonlySet<string>;
};
export type Named = { workflowSid: string; version: number };

const versionKey = ({ workflowSid, version }: Named) => `${workflowSid} ${version}`;

/** As many as stay at hand; the one used longest ago makes room. */
const most = 2_000;
const atHand = new Map<string, Version>();

export async function versionsOf(t: TenantTx, named: readonly Named[]): Promise<(one: Named) => Version> {
  const byKey = new Map(named.map((one) => [versionKey(one), one]));
  const missing = [...byKey].filter(([key]) => !atHand.has(key)).map(([, one]) => one);
  const found = new Map(missing.length > 0 ? await load(t, missing) : []);
  for (const key of byKey.keys()) found.set(key, found.get(key) ?? atHand.get(key)!);
  for (const [key, version] of found) keep(key, version);
  return (one) => found.get(versionKey(one))!;
}

function keep(key: string, version: Version): void {
  atHand.delete(key);
  atHand.set(key, version);
  const [oldest] = atHand.keys();
  if (atHand.size > most && oldest !== undefined) atHand.delete(oldest);
}

async function load(t: TenantTx, missing: Named[]): Promise<[string, Version][]> {
  const rows = await t.many<Named & { definition: Definition; waitNames: string[] }>(sql`
    select v.workflow_sid as "workflowSid", v.version, v.definition, v.wait_names as "waitNames" from workflow_versions v
      join unnest(${missing.map(({ workflowSid }) => workflowSid)}::text[], ${missing.map(({ version }) => version)}::integer[])
        as item (workflow_sid, version) on item.workflow_sid = v.workflow_sid and item.version = v.version
     where v.account_sid = ${t.accountSid} and v.livemode = ${t.livemode}`);
  return rows.map(({ definition, waitNames, ...one }) => {
    const program = prepare(definition, knownCatalogue());
    return [versionKey(one), { program, definition, waitNames, scopes: new Set(neededScopes(definition)) }];
  });
}

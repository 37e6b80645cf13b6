// What was done for a migration, in its order and for ever. That the provider is about to be called is written down before it is: an
// entry STARTED with nothing after it means that the call may have been made.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { principalName } from '../../platform/principal.ts';
import type { ProviderFailure } from '../provider/index.ts';
import type { MigrationEntry } from './schema.ts';
import type { MigrationStep, StepOutcomeWord } from './steps.ts';

type Entry = { detail?: string; providerCode?: number | null };

export const note = (
  t: TenantTx,
  operationSid: string,
  step: MigrationStep,
  outcome: StepOutcomeWord,
  { detail, providerCode }: Entry = {},
): Promise<number> =>
  t.run(sql`
    insert into number_migration_history (account_sid, livemode, operation_sid, step, outcome, detail, provider_code,
      created_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${operationSid}, ${step}, ${outcome}, ${detail ?? null}, ${providerCode ?? null},
      ${principalName(t.principal)}, ${t.now})`);

/** What the provider said, as far as it may be shown. */
export const saidBy = ({ reason, providerCode, providerSubcode }: ProviderFailure): Entry => ({
  detail: reason,
  providerCode: providerSubcode ?? providerCode,
});

/** Whether the step was begun and nothing is known of its end. */
export async function isOpen(t: TenantTx, operationSid: string, step: MigrationStep): Promise<boolean> {
  const last = await t.maybe<{ outcome: StepOutcomeWord }>(sql`
    select outcome from number_migration_history
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid} and step = ${step}
     order by sequence desc limit 1`);
  return last?.outcome === 'STARTED';
}

/** The newest first. */
export async function listHistory(t: TenantTx, operationSid: string, pager: Pager) {
  const before = pager.after?.[0] ?? null;
  const rows = await t.many<MigrationEntry & { sequence: string }>(sql`
    select 'number_migration_entry' as object, step, outcome, detail, provider_code as "providerCode",
      created_by as "createdBy", created_at as "createdAt", sequence
      from number_migration_history
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}
       and (${before}::bigint is null or sequence < ${before})
     order by sequence desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    ({ sequence }) => [sequence],
    ({ sequence: _, ...entry }) => entry,
  );
}

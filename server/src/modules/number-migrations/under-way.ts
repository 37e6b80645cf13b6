// What operators see of migrations: those that have not ended, of every account.
import { Gauge } from 'prom-client';
import type { SystemTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Observing } from '../../platform/module.ts';
import { askedOnce } from '../../platform/observability/metrics.ts';
import { operationsUnderWay, type UnderWay } from '../operations/index.ts';
import { migrateNumber } from './run-migration.ts';
import { type MigrationStep, migrationSteps } from './steps.ts';

export type MigrationUnderWay = UnderWay & {
  senderSid: string;
  phoneNumber: string;
  step: MigrationStep;
  /** When anything of it last changed. */
  updatedAt: string;
};
type Row = Omit<MigrationUnderWay, keyof UnderWay> & { operationSid: string };

/** The oldest first. */
export async function migrationsUnderWay(s: SystemTx): Promise<MigrationUnderWay[]> {
  const operations = await operationsUnderWay(s, migrateNumber.type);
  const rows = await s.many<Row>(sql`
    select operation_sid as "operationSid", sender_sid as "senderSid", '+' || country_code || phone_number as "phoneNumber",
      step, updated_at as "updatedAt"
      from number_migrations
     where (account_sid, operation_sid) in (select * from unnest(
       ${operations.map(({ accountSid }) => accountSid)}::text[], ${operations.map(({ sid }) => sid)}::text[]))`);
  const known = new Map(rows.map(({ operationSid, ...row }) => [operationSid, row]));
  return operations.flatMap((operation) => {
    const row = known.get(operation.sid);
    return row ? [{ ...operation, ...row }] : [];
  });
}

/** While a migration stands at one of these, no message of its sender leaves. */
const pausedSteps: readonly string[] = ['REGISTER', 'CUT_OVER'];

export function observeMigrations({ registry, database, now }: Observing): void {
  const ask = askedOnce(() => database.system(migrationsUnderWay));
  const labelNames = ['environment'];
  const environments = { live: true, sandbox: false };
  new Gauge({
    name: 'godwit_number_migrations',
    help: 'Number migrations that have not ended, by the step at which they stand',
    labelNames: [...labelNames, 'step'],
    registers: [registry],
    async collect() {
      const found = (await ask()) ?? [];
      for (const [environment, livemode] of Object.entries(environments))
        for (const step of migrationSteps)
          this.set(
            { environment, step },
            found.filter((one) => one.livemode === livemode && one.step === step).length,
          );
    },
  });
  new Gauge({
    name: 'godwit_number_migrations_paused_seconds',
    help: 'How long the sender has been paused whose number has been changing hands for longest',
    labelNames,
    registers: [registry],
    async collect() {
      const found = (await ask()) ?? [];
      const nowMs = now().getTime();
      for (const [environment, livemode] of Object.entries(environments)) {
        const paused = found.filter((one) => one.livemode === livemode && pausedSteps.includes(one.step));
        const seconds = paused.map(({ updatedAt }) => (nowMs - Date.parse(updatedAt)) / 1_000);
        this.set({ environment }, Math.max(0, ...seconds));
      }
    },
  });
}

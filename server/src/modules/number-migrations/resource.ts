// A migration as people see it: its own row, and what its operation says of it.
import type { TenantTx } from '../../platform/db/database.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { type Operation, operationsOf } from '../operations/index.ts';
import { listHistory } from './history.ts';
import { findMigration, listMigrationRows, type Migration } from './migrations.ts';
import type { MigrationWithHistory, NumberMigration } from './schema.ts';
import { mostWrongPins } from './steps.ts';

type Standing = Pick<
  NumberMigration,
  'state' | 'awaits' | 'nextAction' | 'cancelable' | 'retryEligible' | 'error'
>;

/** Operations are forgotten some weeks after their end; one that neither succeeded nor failed was canceled. */
const standingOf = ({ outcome, error }: Migration, operation: Operation | undefined): Standing =>
  operation
    ? {
        state: operation.state,
        awaits: operation.awaits as Standing['awaits'],
        nextAction: operation.nextAction as Standing['nextAction'],
        cancelable: operation.cancelable && operation.finishedAt === null,
        retryEligible: operation.retryEligible,
        error: operation.error,
      }
    : {
        state: outcome ?? 'CANCELED',
        awaits: null,
        nextAction: null,
        cancelable: false,
        retryEligible: false,
        error,
      };

export function toMigration(
  { accountSid, livemode }: Pick<TenantTx, 'accountSid' | 'livemode'>,
  migration: Migration,
  operation: Operation | undefined,
): NumberMigration {
  const { contactSid, templateSid, messageSid, wrongPins, countryCode, phoneNumber } = migration;
  const { senderSid, sourceWabaSid, destinationWabaSid, step, impact, caseRef, reason } = migration;
  return {
    object: 'number_migration',
    sid: migration.operationSid,
    accountSid,
    livemode,
    senderSid,
    phoneNumber: `+${countryCode}${phoneNumber}`,
    sourceWabaSid,
    destinationWabaSid,
    providerPhoneNumberId: migration.phoneNumberId,
    step,
    ...standingOf(migration, operation),
    pinTriesLeft: mostWrongPins - wrongPins,
    validation: { contactSid, templateSid, messageSid },
    impact,
    caseRef,
    reason,
    createdBy: migration.createdBy,
    createdAt: migration.createdAt,
    updatedAt: operation?.updatedAt ?? migration.updatedAt,
  };
}

async function toMigrations(t: TenantTx, rows: Migration[]): Promise<NumberMigration[]> {
  const operations = await operationsOf(
    t,
    rows.map(({ operationSid }) => operationSid),
  );
  return rows.map((row) => toMigration(t, row, operations.get(row.operationSid)));
}

export async function getMigration(t: TenantTx, sid: string): Promise<NumberMigration> {
  return (await toMigrations(t, [await findMigration(t, sid)]))[0]!;
}

export async function getWithHistory(t: TenantTx, sid: string, pager: Pager): Promise<MigrationWithHistory> {
  return { ...(await getMigration(t, sid)), history: await listHistory(t, sid, pager) };
}

/** The newest first. */
export async function listMigrations(t: TenantTx, pager: Pager) {
  const migrations = await toMigrations(t, await listMigrationRows(t, pager));
  return pager.page(
    migrations,
    ({ sid }) => [sid],
    (migration) => migration,
  );
}

// Migrations as rows. Whether one is under way, and what it waits for, its operation says.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { principalName } from '../../platform/principal.ts';
import { operationsOf } from '../operations/index.ts';
import type { MigrationError, MigrationImpact } from './schema.ts';
import type { MigrationStep } from './steps.ts';

export type Migration = {
  operationSid: string;
  senderSid: string;
  countryCode: string;
  phoneNumber: string;
  sourceWabaSid: string;
  destinationWabaSid: string;
  sourcePhoneNumberId: string;
  phoneNumberId: string | null;
  step: MigrationStep;
  codeMethod: 'SMS' | 'VOICE';
  codeSentAt: string | null;
  sealedCode: Buffer | null;
  sealedPin: Buffer | null;
  wrongPins: number;
  putOff: number;
  awaitedUntil: string | null;
  contactSid: string;
  templateSid: string;
  messageSid: string | null;
  messageSentAt: string | null;
  impact: MigrationImpact;
  caseRef: string;
  reason: string;
  outcome: 'SUCCEEDED' | 'FAILED' | null;
  error: MigrationError | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
};

const columns = sql`operation_sid as "operationSid", sender_sid as "senderSid", country_code as "countryCode",
  phone_number as "phoneNumber", source_waba_sid as "sourceWabaSid", destination_waba_sid as "destinationWabaSid",
  source_phone_number_id as "sourcePhoneNumberId", phone_number_id as "phoneNumberId", step, code_method as "codeMethod",
  code_sent_at as "codeSentAt", sealed_code as "sealedCode", sealed_pin as "sealedPin", wrong_pins as "wrongPins",
  put_off as "putOff", awaited_until as "awaitedUntil", contact_sid as "contactSid", template_sid as "templateSid",
  message_sid as "messageSid", message_sent_at as "messageSentAt", impact, case_ref as "caseRef", reason, outcome, error,
  created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"`;

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${sid}`;

export async function findMigration(t: TenantTx, sid: string): Promise<Migration> {
  const found = await t.maybe<Migration>(sql`select ${columns} from number_migrations where ${here(t, sid)}`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export async function listMigrationRows(t: TenantTx, pager: Pager): Promise<Migration[]> {
  const before = pager.after?.[0] ?? null;
  return t.many<Migration>(sql`
    select ${columns} from number_migrations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${before}::text is null or operation_sid < ${before})
     order by operation_sid desc limit ${pager.fetch}`);
}

export type NewMigration = Pick<
  Migration,
  | 'operationSid'
  | 'senderSid'
  | 'countryCode'
  | 'phoneNumber'
  | 'sourceWabaSid'
  | 'destinationWabaSid'
  | 'sourcePhoneNumberId'
  | 'contactSid'
  | 'templateSid'
  | 'impact'
  | 'caseRef'
  | 'reason'
> & { sealedPin: Buffer };

export const insertMigration = (t: TenantTx, given: NewMigration): Promise<Migration> =>
  t.one<Migration>(sql`
    insert into number_migrations (account_sid, livemode, operation_sid, sender_sid, country_code, phone_number,
      source_waba_sid, destination_waba_sid, source_phone_number_id, step, sealed_pin, contact_sid, template_sid, impact,
      case_ref, reason, created_by, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${given.operationSid}, ${given.senderSid}, ${given.countryCode},
      ${given.phoneNumber}, ${given.sourceWabaSid}, ${given.destinationWabaSid}, ${given.sourcePhoneNumberId}, 'ADD',
      ${given.sealedPin}, ${given.contactSid}, ${given.templateSid}, ${JSON.stringify(given.impact)}::json, ${given.caseRef},
      ${given.reason}, ${principalName(t.principal)}, ${t.now}, ${t.now})
    returning ${columns}`);

export type MigrationChange = Partial<
  Pick<
    Migration,
    | 'step'
    | 'phoneNumberId'
    | 'codeMethod'
    | 'sealedCode'
    | 'sealedPin'
    | 'wrongPins'
    | 'putOff'
    | 'messageSid'
    | 'outcome'
    | 'error'
  > & { codeSentAt: Date | null; awaitedUntil: Date | null; messageSentAt: Date | null }
>;

const columnOf: Record<keyof MigrationChange, string> = {
  step: 'step',
  phoneNumberId: 'phone_number_id',
  codeMethod: 'code_method',
  codeSentAt: 'code_sent_at',
  sealedCode: 'sealed_code',
  sealedPin: 'sealed_pin',
  wrongPins: 'wrong_pins',
  putOff: 'put_off',
  awaitedUntil: 'awaited_until',
  messageSid: 'message_sid',
  messageSentAt: 'message_sent_at',
  outcome: 'outcome',
  error: 'error',
};

export async function changeMigration(t: TenantTx, sid: string, change: MigrationChange): Promise<void> {
  const sets = (Object.keys(change) as (keyof MigrationChange)[]).map((name): Sql => {
    const value = name === 'error' && change.error ? JSON.stringify(change.error) : change[name];
    return sql`${sql.id(columnOf[name])} = ${(value ?? null) as string}`;
  });
  await t.run(sql`
    update number_migrations set ${sql.join([...sets, sql`updated_at = ${t.now}`], sql`, `)} where ${here(t, sid)}`);
}

/** Enough to find one that is under way: there is never more than one, and it is among the newest. */
const newest = 20;

/** The migration of a sender that has not ended, other than this one. To be asked under the sender's lock. */
export async function migrationUnderWay(
  t: TenantTx,
  senderSid: string,
  except: string | null = null,
): Promise<string | null> {
  const rows = await t.many<{ sid: string }>(sql`
    select operation_sid as sid from number_migrations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sender_sid = ${senderSid}
     order by operation_sid desc limit ${newest}`);
  const sids = rows.flatMap(({ sid }) => (sid === except ? [] : [sid]));
  const operations = await operationsOf(t, sids);
  return sids.find((sid) => operations.get(sid)?.finishedAt === null) ?? null;
}

// What people ask for: a migration, and what one waits for. The work itself is the operation's.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { Answer } from '../../platform/http/operations/operation.ts';
import { audit } from '../audit/index.ts';
import { resumeOperation, startOperation } from '../operations/index.ts';
import { lockSender, requireSender } from '../senders/index.ts';
import { note } from './history.ts';
import { impactOf } from './impact.ts';
import { requireMovable } from './judge.ts';
import { changeMigration, findMigration, insertMigration, type MigrationChange } from './migrations.ts';
import { getMigration, toMigration } from './resource.ts';
import { migrateNumber } from './run-migration.ts';
import type { NewMigrationBody, NumberMigration, Why } from './schema.ts';
import { sealSecret } from './secrets.ts';
import { type Awaited, codeLifeMs, type MigrationStep } from './steps.ts';

/** 202 with the migration and its address. */
export const answerOf = (migration: NumberMigration) =>
  new Answer(202, migration, {
    location: `/v1/accounts/${migration.accountSid}/migrations/${migration.sid}`,
  });

export async function startMigration(t: TenantTx, body: NewMigrationBody): Promise<NumberMigration> {
  await requireSender(t, body.senderSid, 'senderSid');
  const sender = await lockSender(t, body.senderSid);
  const { source, destination } = await requireMovable(t, sender, body);
  const way = { senderSid: sender.sid, from: source.sid, to: destination.sid };
  const operation = await startOperation(t, migrateNumber, {});
  const { caseRef, reason, countryCode, phoneNumber, validation } = body;
  const migration = await insertMigration(t, {
    operationSid: operation.sid,
    senderSid: sender.sid,
    countryCode,
    phoneNumber,
    sourceWabaSid: source.sid,
    destinationWabaSid: destination.sid,
    sourcePhoneNumberId: sender.providerPhoneNumberId!,
    contactSid: validation.contactSid,
    templateSid: validation.templateSid,
    impact: await impactOf(t, way),
    caseRef,
    reason,
    sealedPin: sealSecret(t, operation.sid, 'pin', body.registrationPin),
  });
  auditWish(t, 'number_migration.requested', operation.sid, { ...way, caseRef, reason });
  return toMigration(t, migration, operation);
}

const auditWish = (t: TenantTx, action: string, resource: string, facts: Record<string, string>): void =>
  audit(t, { action, resource, facts });

type Brought = {
  awaits: Awaited;
  step: MigrationStep;
  action: string;
  why: Pick<Why, 'caseRef' | 'reason'>;
  change: MigrationChange;
  detail?: string;
};

/** The operation goes on with what was brought. Nothing else is taken: whoever comes second finds that nobody is waited for. */
async function bring(t: TenantTx, sid: string, brought: Brought): Promise<NumberMigration> {
  const { awaits } = await getMigration(t, sid);
  if (awaits !== brought.awaits || !(await resumeOperation(t, sid)))
    throw new ApiError('CONFLICT', {
      message: awaits
        ? `The migration waits for ${awaits}.`
        : `The migration does not wait for ${brought.awaits}.`,
    });
  await changeMigration(t, sid, brought.change);
  await note(t, sid, brought.step, 'RECEIVED', brought.detail ? { detail: brought.detail } : {});
  const { caseRef, reason } = brought.why;
  auditWish(t, brought.action, sid, { caseRef, reason });
  return getMigration(t, sid);
}

type PinBody = Pick<Why, 'caseRef' | 'reason'> & { registrationPin: string };

export const submitPin = (t: TenantTx, sid: string, body: PinBody): Promise<NumberMigration> =>
  bring(t, sid, {
    awaits: 'REGISTRATION_PIN',
    step: 'REGISTER',
    action: 'number_migration.pin_submitted',
    why: body,
    change: { sealedPin: sealSecret(t, sid, 'pin', body.registrationPin) },
  });

type CodeBody = Pick<Why, 'caseRef' | 'reason'> & { code: string };

export async function submitCode(t: TenantTx, sid: string, body: CodeBody): Promise<NumberMigration> {
  const { codeSentAt } = await findMigration(t, sid);
  const migration = await bring(t, sid, {
    awaits: 'VERIFICATION_CODE',
    step: 'VERIFY',
    action: 'number_migration.code_submitted',
    why: body,
    change: { sealedCode: sealSecret(t, sid, 'code', body.code) },
  });
  if (codeSentAt === null || t.now.getTime() > Date.parse(codeSentAt) + codeLifeMs)
    throw new ApiError('ONBOARDING_CODE_EXPIRED');
  return migration;
}

export const requestNewCode = (t: TenantTx, sid: string, body: Why): Promise<NumberMigration> =>
  bring(t, sid, {
    awaits: 'VERIFICATION_CODE',
    step: 'REQUEST_CODE',
    action: 'number_migration.code_requested',
    why: body,
    change: { step: 'REQUEST_CODE', codeMethod: body.method, sealedCode: null },
    detail: body.method,
  });

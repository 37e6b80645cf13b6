// A message to a contact shows that the number sends from its new place: through the gates everybody's messages pass, and delivered
// within ten minutes.
import { ApiError } from '../../../platform/errors/errors.ts';
import { admitEach, judgeMessage, readMessages } from '../../messages/index.ts';
import type { StepOutcome } from '../../operations/index.ts';
import { findTemplateRow } from '../../templates/index.ts';
import { note } from '../history.ts';
import { changeMigration } from '../migrations.ts';
import { commit, fail, later, type Step, type Work } from './tools.ts';

const withinMs = 10 * 60_000;
const lookAgainMs = 2_000;
const arrived = new Set(['delivered', 'read']);
const lost = new Set(['failed', 'expired', 'canceled']);

export const validate: Step = (work) => (work.migration.messageSid === null ? send(work) : look(work));

async function send(work: Work): Promise<StepOutcome | null> {
  const { operation, migration } = work;
  const { sid } = operation;
  const refusal = await commit(work, async (t) => {
    const template = await findTemplateRow(t, migration.templateSid);
    if (!template) return new ApiError('TEMPLATE_NOT_APPROVED');
    const { senderSid: from, contactSid } = migration;
    const { name, language } = template;
    const body = { from, contactSid, type: 'template', template: { name, language } };
    const [message] = await admitEach(t, [{ body: judgeMessage(body), author: t.principal }]);
    if (message instanceof ApiError) return message;
    await note(t, sid, 'VALIDATE', 'STARTED', { detail: message!.sid });
    await changeMigration(t, sid, { messageSid: message!.sid, messageSentAt: t.now });
    return null;
  });
  return refusal ? failed(work, refusal.code, refusal.message) : null;
}

async function look(work: Work): Promise<StepOutcome | null> {
  const { context, migration } = work;
  const message = (await context.read((t) => readMessages(t, [migration.messageSid!]))).get(
    migration.messageSid!,
  );
  const status = message?.status ?? 'unknown';
  if (arrived.has(status)) return done(work);
  const waitedMs = context.now().getTime() - Date.parse(migration.messageSentAt!);
  if (lost.has(status))
    return failed(
      work,
      message?.error?.code ?? 'PROVIDER_RESULT_UNKNOWN',
      `The message ${migration.messageSid} is ${status}.`,
    );
  if (waitedMs >= withinMs)
    return failed(
      work,
      'RECIPIENT_UNREACHABLE',
      `The message ${migration.messageSid} was not delivered in time.`,
    );
  return later(work, Math.min(Math.max(lookAgainMs, waitedMs / 4), withinMs - waitedMs));
}

function done({ operation: { sid }, migration }: Work): StepOutcome {
  const { senderSid, sourceWabaSid, destinationWabaSid, phoneNumberId, messageSid } = migration;
  const where = { senderSid, sourceWabaSid, destinationWabaSid };
  return {
    result: { ...where, providerPhoneNumberId: phoneNumberId, messageSid },
    async apply(t) {
      await note(t, sid, 'VALIDATE', 'DONE');
      await changeMigration(t, sid, { step: 'DONE', outcome: 'SUCCEEDED', error: null });
    },
  };
}

/** The number has moved all the same. A retry sends another message, and does nothing else. */
const failed = (work: Work, code: string, message: string): StepOutcome =>
  fail(work, {
    code: code as ApiError['code'],
    message,
    change: { messageSid: null, messageSentAt: null },
  });

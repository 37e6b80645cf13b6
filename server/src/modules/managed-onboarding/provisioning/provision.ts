// An approved application, step by step, until the business can send. After a crash the work goes on where it stood; and whatever was
// asked outside before, it is looked up first what became of it.
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineOperationType, later, type OperationType, type StepOutcome } from '../../operations/index.ts';
import { Later, Refused } from '../../provider/index.ts';
import type { WabaHooks } from '../../wabas/index.ts';
import {
  type ApplicationRow,
  lockApplication,
  moveApplication,
  requireApplication,
  tell,
} from '../applications/applications.ts';
import { applicationEvents } from '../events.ts';
import { fail, join } from './end.ts';
import { obtainNumber, openAccount } from './number-steps.ts';
import { readProgress, type StepName } from './progress.ts';
import {
  addNumber,
  awaitName,
  registerNumber,
  requestCode,
  subscribe,
  verifyNumber,
} from './registration-steps.ts';
import type { Step, Work } from './work.ts';

const input = Closed({ applicationSid: Sid('MA') });
export type Provision = OperationType<typeof input>;

export const provisionWith = (hooks: WabaHooks): Provision =>
  defineOperationType({
    type: 'managed_onboarding.provision',
    input,
    cancelable: false,
    async run(context, { input: { applicationSid }, livemode, sid }) {
      for (;;) {
        const found = await context.read(async (t) => ({
          application: await requireApplication(t, applicationSid),
          progress: await readProgress(t, applicationSid),
        }));
        const work: Work = { context, hooks, livemode, ...found };
        const { application, progress } = found;
        if (application.operationSid !== sid || ended.includes(application.state)) return endOf(application);
        try {
          const step = application.state === 'APPROVED' ? begin : steps[progress.step];
          const outcome = await step(work);
          if (outcome) return outcome;
        } catch (error) {
          if (error instanceof Later) return later(context, error.ms);
          if (!(error instanceof Refused)) throw error;
          await fail(work, error);
        }
      }
    },
  });

const ended: readonly string[] = ['COMPLETED', 'FAILED', 'REJECTED'];

function endOf({ sid, state, wabaSid, senderSid, phoneNumber, error }: ApplicationRow): StepOutcome {
  if (state === 'COMPLETED')
    return { result: { applicationSid: sid, state, wabaSid, senderSid, phoneNumber } };
  const { code, message } = error ?? { code: 'CONFLICT', message: 'The application was taken up anew.' };
  return { failure: { code: code as Refused['code'], message, retryable: false } };
}

const begin: Step = async ({ context, application }) => {
  await context.write(async (t) => {
    const row = await lockApplication(t, application.sid);
    tell(t, applicationEvents.updated, await moveApplication(t, row, 'PROVISIONING'));
  });
  return null;
};

const isDone: Step = async () => {
  throw new Error('an application whose work is done has ended');
};

const steps: Record<StepName, Step> = {
  NUMBER: obtainNumber,
  ACCOUNT: openAccount,
  ADD: addNumber,
  REQUEST_CODE: requestCode,
  VERIFY: verifyNumber,
  REGISTER: registerNumber,
  SUBSCRIBE: subscribe,
  NAME: awaitName,
  JOIN: join,
  DONE: isDone,
};

// A migration, step by step. Each step begins where the last commit left it, whoever died meanwhile.
import { Closed } from '../../platform/http/input/schema.ts';
import { defineOperationType, type StepOutcome } from '../operations/index.ts';
import { lockSender } from '../senders/index.ts';
import { isOpen } from './history.ts';
import { findMigration, type Migration, migrationUnderWay } from './migrations.ts';
import type { MigrationStep } from './steps.ts';
import { addNumber } from './work/add-number.ts';
import { cutOver, subscribe } from './work/cut-over.ts';
import { pause } from './work/pause-sender.ts';
import { register } from './work/register-number.ts';
import { fail, type Step, type Work } from './work/tools.ts';
import { validate } from './work/validate.ts';
import { requestCode, verifyNumber } from './work/verify-number.ts';

const steps: Record<Exclude<MigrationStep, 'DONE'>, Step> = {
  ADD: addNumber,
  REQUEST_CODE: requestCode,
  VERIFY: verifyNumber,
  PAUSE: pause,
  REGISTER: register,
  CUT_OVER: cutOver,
  SUBSCRIBE: subscribe,
  VALIDATE: validate,
};

export const migrateNumber = defineOperationType({
  type: 'numbers.migrate',
  input: Closed({}),
  async run(context, operation) {
    const { sid } = operation;
    const { rival, first } = await context.write(async (t) => {
      const migration = await findMigration(t, sid);
      await lockSender(t, migration.senderSid);
      const under = await migrationUnderWay(t, migration.senderSid, sid);
      return { rival: under, first: { migration, wasBegun: await isOpen(t, sid, migration.step) } };
    });
    if (rival !== null && !hasLeft(first.migration)) return inTheWay({ context, operation, ...first }, rival);
    let begun: Pick<Work, 'migration' | 'wasBegun'> = first;
    for (;;) {
      const { step } = begun.migration;
      if (step === 'DONE') return { result: null };
      const outcome = await steps[step]({ context, operation, ...begun });
      if (outcome) return outcome;
      begun = { migration: await context.read((t) => findMigration(t, sid)), wasBegun: false };
    }
  },
});

const after: MigrationStep[] = ['REGISTER', 'CUT_OVER', 'SUBSCRIBE', 'VALIDATE', 'DONE'];

/** Once its number may be somewhere else, a migration is brought to its end. */
const hasLeft = ({ step }: Migration) => after.includes(step);

/** It ended, another was started, and now it was retried. */
const inTheWay = (work: Work, rival: string): StepOutcome =>
  fail(work, { code: 'CONFLICT', message: `The sender is being migrated by ${rival}.` });

// What makes long work an operation: one declaration, whose job the module lists among its own.
import type { Static, TSchema } from 'typebox';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { attempts, jobName, operationPayload } from './operation-jobs.ts';
import { runOperation } from './run-operation.ts';
import type { Chunks, Items, Named, OperationType, Step, Work } from './work.ts';

export function defineOperationType<I extends TSchema>(
  declared: Named<I> & Step<Static<I>>,
): OperationType<I>;
export function defineOperationType<I extends TSchema>(
  declared: Named<I> & Items<Static<I>>,
): OperationType<I>;
export function defineOperationType<I extends TSchema>(
  declared: Named<I> & Chunks<Static<I>>,
): OperationType<I>;
export function defineOperationType<I extends TSchema>(
  declared: Named<I> & Work<Static<I>>,
): OperationType<I> {
  const kind = 'run' in declared ? 'STEP' : 'runItem' in declared ? 'ITEMS' : 'CHUNKS';
  const job = defineJob({
    name: jobName(declared.type),
    payload: operationPayload,
    attempts,
    run: (context, { operationSid }) => runOperation(context, declared as Work<never>, operationSid),
  });
  return { type: declared.type, input: declared.input, cancelable: declared.cancelable ?? true, job, kind };
}

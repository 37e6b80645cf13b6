// The second factor an operation demands, asked inside the transaction it guards.
import type { Serving } from './call.ts';
import type { TenantTx } from './db/database.ts';
import { ApiError } from './errors.ts';
import type { AnyInput, Operation } from './operation.ts';

/** What the declaration alone decides; an operation that decides by stored state asks by itself. */
export async function passStepUp(
  operation: Operation,
  serving: Serving,
  t: TenantTx,
  input: AnyInput,
): Promise<void> {
  if (operation.stepUp?.askedBy !== 'handler') await demandStepUp(operation, serving, t, input.body);
}

export async function demandStepUp(
  operation: Operation,
  serving: Serving,
  t: TenantTx,
  body: unknown,
): Promise<void> {
  const { stepUp } = operation;
  if (!stepUp || (stepUp.from === 'people' && t.principal.kind !== 'user')) return;
  const names = (stepUp.field ?? 'stepUpToken').split('.');
  const token = names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    body,
  );
  t.steppedUpBy = await serving.stepUp(t, stepUp.action, token as string | undefined);
}

/** Refuses for want of a second factor, naming the action a token must be issued for. */
export function stepUpRequired(action: string): ApiError {
  return new ApiError('STEP_UP_REQUIRED', { details: [{ path: 'stepUpAction', issue: action }] });
}

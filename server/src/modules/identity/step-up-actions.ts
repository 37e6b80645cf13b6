// The names a step-up token can be issued for: those some operation asks for, and those the contract names. Operations
// stand in modules above and below this one, so the composition tells them.
import { invalid } from '../../platform/errors/errors.ts';
import type { Operation } from '../../platform/http/operations/operation.ts';

// Adding a factor takes no token: whoever has one already proves it in the same session, under this name.
export const addFactorAction = 'MFA_ENROLLMENT_CREATE';

// Part of the contract whether or not this service has the operation: a client may ask for their tokens.
const ofTheContract = ['LEGAL_HOLD_RELEASE', 'RETENTION_POLICY_CHANGE'];

const known = new Set([addFactorAction, ...ofTheContract]);

export function knowStepUpActions(operations: readonly Operation[]): void {
  for (const { stepUp } of operations) if (stepUp) known.add(stepUp.action);
}

export function refuseUnknownAction(action: string): void {
  if (known.has(action)) return;
  throw invalid({ path: 'action', issue: 'must be the stepUpAction a STEP_UP_REQUIRED refusal names' });
}

// The steps of a migration. Until PAUSE nothing has changed for the sender; from REGISTER on the number is at the destination.

export const migrationSteps = [
  'ADD',
  'REQUEST_CODE',
  'VERIFY',
  'PAUSE',
  'REGISTER',
  'CUT_OVER',
  'SUBSCRIBE',
  'VALIDATE',
  'DONE',
] as const;
export type MigrationStep = (typeof migrationSteps)[number];

/** What a migration waits for somebody to bring. */
export const awaited = ['VERIFICATION_CODE', 'REGISTRATION_PIN'] as const;
export type Awaited = (typeof awaited)[number];

/** What became of a step: it is about to be done, was done, refused, put off, or waits for somebody who then brings it. */
export const stepOutcomes = ['STARTED', 'DONE', 'REFUSED', 'AWAITED', 'RECEIVED', 'PUT_OFF'] as const;
export type StepOutcomeWord = (typeof stepOutcomes)[number];

export const mostWrongPins = 5;
export const awaitedMs = 7 * 24 * 3_600_000;
export const codeLifeMs = 10 * 60_000;

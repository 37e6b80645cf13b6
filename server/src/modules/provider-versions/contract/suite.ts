// All checks, in the order in which they are made, and the fingerprint by which a stored run names them.
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import { accountChecks } from './account-checks.ts';
import type { Check } from './check.ts';
import { joiningChecks } from './joining-checks.ts';
import { mediaChecks } from './media-checks.ts';
import { messageChecks } from './message-checks.ts';
import { numberChecks } from './number-checks.ts';
import { partnerChecks } from './partner-checks.ts';
import { signupChecks } from './signup-checks.ts';
import { templateChecks } from './template-checks.ts';

export const suite: readonly Check[] = [
  ...accountChecks,
  ...numberChecks,
  ...templateChecks,
  ...mediaChecks,
  ...messageChecks,
  ...joiningChecks,
  ...signupChecks,
  ...partnerChecks,
];

/** Changes with every check that is added, taken away, renamed or rewritten. */
export const digestOf = (checks: readonly Check[]): string =>
  sha256Hex(canonicalJson(checks.map(({ name, reads, run }) => [name, reads, run.toString()])));

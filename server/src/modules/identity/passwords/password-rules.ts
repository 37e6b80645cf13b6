// What a new password must be: long, and not what everybody would try first. No rule about kinds of characters, which
// only makes people write "Password1!".
import { Type } from 'typebox';
import { type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';

export const minLength = 12;

/** A password that is being chosen; one that is being checked is only bounded in length. */
export const NewPassword = Type.String({ minLength, maxLength: 256 });
export const GivenPassword = Type.String({ minLength: 1, maxLength: 256 });

const minDistinct = 5;

// Beginnings of the passwords of at least 12 characters that lists of leaked ones are full of.
const common =
  /^(?:(?:pass|passw|p4ss|p@ss)w?[o0]rd|qwerty|qwertz|azerty|letmein|welcome|bienvenue|motdepasse|administrator|iloveyou|changeme|asdfgh|1q2w3e|1qaz2wsx|q1w2e3|trustno1|superman|football|baseball|princess|sunshine|dragon)[^a-z]*$/;

export function refuseWeakPassword(password: string, email: string, path: string): void {
  const issue = weaknessOf(password.toLowerCase(), email.toLowerCase());
  if (issue) throw invalid({ path, issue } satisfies ErrorDetail);
}

function weaknessOf(password: string, email: string): string | null {
  const name = email.split('@')[0]!;
  if (new Set(password).size < minDistinct) return `must have at least ${minDistinct} different characters`;
  if (name.length >= 4 && password.includes(name)) return 'must not hold your e-mail address';
  if (isRun(password) || common.test(password)) return 'is one of the passwords tried first';
  return null;
}

/** Each character follows the one before it, or repeats it: 123456789012, abcdefghijkl. */
function isRun(text: string): boolean {
  const steps = [...text].slice(1).map((character, i) => character.charCodeAt(0) - text.charCodeAt(i));
  const even = steps.filter((step) => Math.abs(step) <= 1 || Math.abs(step) === 9).length;
  return even >= steps.length * 0.9;
}

// Whoever asks too often, without being known, must bring a proof of work: a second of computing for a person's browser, a
// second for every try of a program. Challenges are made and judged here; nobody outside is asked.
import { createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/query.ts';
import { ApiError } from '../../errors/errors.ts';
import { sha256 } from '../../hashing.ts';
import type { Sealer } from '../../sealing.ts';

// 256 tries on average, each of 2,000 rounds: about half a second of one core.
const algorithm = 'PBKDF2/SHA-256';
const cost = 2_000;
const keyPrefix = '00';
const validMs = 10 * 60_000;

/** Where operations without a field for it take the solution. */
export const solutionHeader = 'X-Challenge-Solution';
export const solutionLength = 4096;

const secretOf = (sealer: Sealer) => sealer.derive('sign-in-challenge').toString('base64');

export async function newChallenge(sealer: Sealer, now: Date) {
  // The end stands among the signed data: the library's own would be held against the clock of the machine.
  const expiresAt = new Date(now.getTime() + validMs).toISOString();
  const data = { expiresAt };
  const challenge = await createChallenge({
    algorithm,
    cost,
    keyPrefix,
    deriveKey,
    data,
    hmacSignatureSecret: secretOf(sealer),
  });
  return { object: 'challenge', ...challenge, expiresAt };
}

type Means = { database: Database; sealer: Sealer; now: Date };

/** Lets pass who brings a solution that is right, fresh and unused; a solution is used up by being brought. */
export async function demandSolution(means: Means, given: string | undefined): Promise<void> {
  if (given === undefined) throw new ApiError('CAPTCHA_REQUIRED');
  if (given.length > solutionLength) throw new ApiError('CAPTCHA_INVALID');
  const payload = readPayload(given);
  const expiresAt = payload && (await judgeSolution(means, payload));
  if (!expiresAt) throw new ApiError('CAPTCHA_INVALID');
  const spent = await means.database.system((s) =>
    s.run(sql`
      insert into spent_challenges (challenge_hash, expires_at)
      values (${sha256(payload.challenge.signature!)}, ${expiresAt}) on conflict do nothing`),
  );
  if (spent === 0) throw new ApiError('CAPTCHA_INVALID');
}

/** The form in which the widget hands over its work: JSON in base64. */
function readPayload(given: string): Payload | null {
  try {
    const payload = JSON.parse(Buffer.from(given, 'base64').toString('utf8')) as Payload;
    return typeof payload.challenge.signature === 'string' && payload.solution ? payload : null;
  } catch {
    return null;
  }
}

async function judgeSolution({ sealer, now }: Means, payload: Payload): Promise<Date | null> {
  // What is not signed by us may hold anything, so no part of it is computed with before the signature is judged;
  // the library does that first and throws on odd shapes.
  const result = await verifySolution({
    ...payload,
    deriveKey,
    hmacSignatureSecret: secretOf(sealer),
  }).catch(() => null);
  if (!result?.verified) return null;
  const expiresAt = new Date(String(payload.challenge.parameters.data?.expiresAt));
  return expiresAt > now ? expiresAt : null;
}

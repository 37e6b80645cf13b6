// Idempotency keys: the answer to the first request is kept for a day, and is the answer to every other with that key.
import type { Payments } from '../objects/payments.ts';
import type { KeptAnswer } from '../objects/rows.ts';
import { invalid, PaymentProblem } from './problems.ts';

const keptMs = 24 * 3_600_000;
const longest = 255;

export type Asked = { key: string; path: string; params: string };
export type Keys = ReturnType<typeof createKeys>;

export function createKeys(payments: Payments) {
  const { answers } = payments.tables;
  const inUse = new Set<string>();

  const forgetOld = () => {
    const oldestMs = payments.timeline.nowMs() - keptMs;
    for (const [key, { atMs }] of answers) {
      if (atMs > oldestMs) return;
      answers.delete(key);
    }
  };

  return {
    /** What was answered to this request before; refuses a key that belongs to another one. */
    before({ key, path, params }: Asked): KeptAnswer | null {
      if (key.length > longest) throw invalid(`Idempotency keys may have at most ${longest} characters.`);
      forgetOld();
      if (inUse.has(key)) {
        throw new PaymentProblem(409, {
          code: 'idempotency_key_in_use',
          message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
          type: 'invalid_request_error',
        });
      }
      const kept = answers.get(key);
      if (!kept) return null;
      if (kept.path !== path) {
        throw mismatch(
          `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${kept.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
        );
      }
      if (kept.params !== params) {
        throw mismatch(
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        );
      }
      return kept;
    },
    keep({ key, path, params }: Asked, requestId: string, status: number, body: object): void {
      const atMs = payments.timeline.nowMs();
      answers.set(key, { path, params, requestId, atMs, status, body: JSON.stringify(body) });
      payments.changed();
    },
    /** While the answer is on its way nobody else may use the key. */
    use: (key: string) => inUse.add(key),
    free: (key: string) => inUse.delete(key),
  };
}

const mismatch = (message: string) => new PaymentProblem(400, { message, type: 'idempotency_error' });

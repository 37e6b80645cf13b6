// A protocol of its own beside the operations: everything below one prefix is answered by one feature, in that
// protocol's forms of request, answer and error. For what a standard prescribes to the last field.

import type { StoredAnswer } from './operations/idempotency.ts';
import type { Incoming, Serving } from './operations/serving.ts';

export type Mount = {
  /** What metrics and logs call it. */
  name: string;
  /** Without a slash at the end: /scim/v2 */
  prefix: string;
  /** Where bodies may be larger than those of operations. */
  maxBodyBytes?: number;
  answer(serving: Serving, incoming: Incoming, rawBody: Buffer): Promise<StoredAnswer>;
  /** Puts what was thrown into the protocol's form; null for a bug, which is logged and answered as `failed`. */
  refuse(error: unknown): StoredAnswer | null;
  failed: StoredAnswer;
};

// How a request was run and what became of it, in the form that is sent and kept under its key.

import type { RequestContext, Tenant } from '../../db/database.ts';
import { databaseFailure, isConnectionLoss } from '../../db/failures.ts';
import { ApiError, errorBody } from '../../errors/errors.ts';
import { awaitKey, type KeyedRequest, type KeyState, type StoredAnswer } from './idempotency.ts';
import { Answer, type AnyInput, type Operation } from './operation.ts';
import type { Serving } from './serving.ts';

export type Run = {
  tenant: Tenant;
  requestContext: RequestContext;
  /** The version of credentials whoever asks is known by; undefined where that need not be looked at any more. */
  asOf: string | undefined;
  input: AnyInput;
  keyed: KeyedRequest | null;
  /** The key in its body, where it declares one. */
  business: KeyedRequest | null;
  headers: Record<string, string>;
};

export function replayed(run: Run, answer: StoredAnswer): StoredAnswer {
  run.headers['idempotent-replayed'] = 'true';
  return answer;
}

/** A commit whose answer was lost is unknown, not failed: the key's row tells whether it happened. */
export async function afterLostConnection(serving: Serving, run: Run, keyed: KeyedRequest, error: unknown) {
  const state = await lookUpKey(serving, run, keyed);
  if (state && 'replay' in state) return replayed(run, state.replay);
  throw databaseFailure(error) ?? error;
}

/** Null when the database cannot be asked. */
export function lookUpKey(serving: Serving, run: Run, keyed: KeyedRequest): Promise<KeyState | null> {
  return serving.database
    .write(run.tenant, run.requestContext, (t) => awaitKey(t, keyed))
    .catch((error) => (isConnectionLoss(error) ? null : ({ fresh: true } as const)));
}

/**
 * A returned error, unlike a thrown one, commits what was done and is stored under the key. `text` is the result as JSON
 * where that has been written already.
 */
export function toAnswer(
  operation: Operation,
  serving: Serving,
  result: unknown,
  text?: string,
): StoredAnswer {
  if (result instanceof ApiError) {
    const body = JSON.stringify(errorBody(result, { docsUrl: serving.docsUrl() }));
    return { status: result.status, headers: {}, body };
  }
  const answer =
    result instanceof Answer ? result : new Answer(Number(Object.keys(operation.responses)[0]), result);
  const empty = operation.responses[answer.status] === null;
  return { status: answer.status, headers: answer.headers, body: empty ? '' : (text ?? bodyText(answer)) };
}

/** An answer that says what it is, such as XML, is sent as it stands. */
const bodyText = ({ body, headers }: Answer) =>
  headers['content-type'] ? String(body) : JSON.stringify(body);

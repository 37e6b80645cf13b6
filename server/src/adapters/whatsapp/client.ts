// One call of the provider's API: from a request to a value or to a failure everyone understands.
import type { Readable } from 'node:stream';
import type { Answered, Connection, ProviderFailure } from '../../modules/provider/index.ts';
import type { ErrorCode } from '../../platform/errors/errors.ts';
import { type Doing, failureOf } from './errors.ts';
import { type Fields, fieldsOf, listOf, numberOf, parseJson } from './reading.ts';
import type { HttpRequest, HttpResult, Transport } from './transport.ts';

export type Call<T> = {
  method: HttpRequest['method'];
  /** Below the version: `106…/messages`. */
  path: string;
  query?: Record<string, string>;
  json?: object;
  raw?: { body: Readable | Buffer; headers: Record<string, string> };
  doing: Doing;
  /**
   * What an answer that never came means. `unknown`: the request may have had its effect, and a second would have it
   * twice. `again`: repeating does no harm.
   */
  whenLost: 'unknown' | 'again';
  /** Undefined when the answer is not what was asked for. */
  read(answer: Fields): T | undefined;
  timeoutMs?: number;
  /** Asked just before the first byte leaves. */
  mayBegin?: () => boolean;
};

const defaultTimeoutMs = 30_000;
export const maxAnswerBytes = 8 * 1024 * 1024;

export type Client = {
  call<T>(connection: Connection, call: Call<T>): Promise<Answered<T>>;
};

export function createClient(transport: Transport): Client {
  return {
    async call(connection, call) {
      const request = requestOf(connection, call);
      if (!request) return failed('PROVIDER_PERMANENT_ERROR', 'The address of the provider is not a URL.');
      return judge(await transport.request(request), call);
    },
  };
}

function requestOf<T>({ baseUrl, apiVersion, accessToken }: Connection, call: Call<T>): HttpRequest | null {
  const { method, path, query, json, raw, timeoutMs = defaultTimeoutMs, mayBegin } = call;
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const url = URL.parse(`${baseUrl}/${apiVersion}/${path}${search}`);
  if (!url) return null;
  const authorization = `Bearer ${accessToken}`;
  const common = { method, url, timeoutMs, maxAnswerBytes, ...(mayBegin && { mayBegin }) };
  if (raw) return { ...common, headers: { authorization, ...raw.headers }, body: raw.body };
  if (!json) return { ...common, headers: { authorization } };
  const headers = { authorization, 'content-type': 'application/json' };
  return { ...common, headers, body: JSON.stringify(json) };
}

function judge<T>(result: HttpResult, call: Call<T>): Answered<T> {
  if (result.kind === 'lost') return lost(call, result.sent, result.reason);
  if (result.kind === 'too-large')
    return lost(call, true, 'The provider answered more than anyone can read.');
  const { status, body } = result;
  const answer = fieldsOf(parseJson(body));
  if (status >= 200 && status < 300) {
    const value = call.read(answer);
    if (value !== undefined) return { ok: true, value };
    return lost(call, true, 'The provider gave an answer nobody can read.');
  }
  const failure = failureOf(answer.error, call.doing, { httpStatus: status });
  if (failure) return { ok: false, failure: waiting(failure, result.headers) };
  return unexplained(call, status);
}

/** The request was refused, but not in the provider's words: something on the way answered, or failed. */
function unexplained<T>(call: Call<T>, status: number): Answered<T> {
  if (status === 429) return failed('PROVIDER_RATE_LIMITED', 'The provider is limiting requests.', true);
  if (status >= 500 || status === 408) return lost(call, true, `The provider failed with HTTP ${status}.`);
  return failed('PROVIDER_PERMANENT_ERROR', `The provider refused the request with HTTP ${status}.`);
}

function lost<T>({ whenLost }: Call<T>, sent: boolean, reason: string): Answered<T> {
  return sent && whenLost === 'unknown'
    ? failed('PROVIDER_RESULT_UNKNOWN', reason)
    : failed('PROVIDER_TEMPORARY_ERROR', reason, true);
}

/** A failure the provider did not give a code for. */
export function failed(
  code: ErrorCode,
  reason: string,
  retryable = false,
): { ok: false; failure: ProviderFailure } {
  const failure = { code, retryable, providerCode: null, providerSubcode: null, reason, retryAfterMs: null };
  return { ok: false, failure };
}

/** How long a limit lasts stands in a header: minutes, by account and kind of call. */
function waiting(failure: ProviderFailure, headers: Record<string, unknown>): ProviderFailure {
  const usage = headers['x-business-use-case-usage'];
  if (failure.code !== 'PROVIDER_RATE_LIMITED' || typeof usage !== 'string') return failure;
  const minutes = Object.values(fieldsOf(parseJson(Buffer.from(usage))))
    .flatMap(listOf)
    .map((entry) => numberOf(fieldsOf(entry).estimated_time_to_regain_access) ?? 0);
  const longest = Math.max(0, ...minutes);
  return longest > 0 ? { ...failure, retryAfterMs: longest * 60_000 } : failure;
}

/** Commands answer with nothing but their success. */
export const succeeded = (answer: Fields): null | undefined => (answer.success === true ? null : undefined);

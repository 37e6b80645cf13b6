// Carries requests to the service and answers back: credentials, keys, attempts. What can be asked is generated.
import { type Body, bodyOf, inBytes } from './body.ts';
import { bearer, type Credentials, type SigningKey, signed } from './credentials.ts';
import { type Asked, ConnectionError, GodwitError, refusalIn } from './errors.ts';
import { type List, Pages } from './pages.ts';
import { ownAccount, queryPairs, written } from './paths.ts';
import { type Patience, usualPatience, wait, waitBefore } from './retry.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type ClientOptions = {
  /** An API key: `gw_live_…`, or `gw_test_…` for the sandbox. */
  key?: string;
  /** Signs every request instead of sending the key. */
  signing?: SigningKey;
  /** Any other way to show who asks, such as `cookies(…)` on a page of the service. */
  credentials?: Credentials;
  /** Where the service is: `http://localhost:8080` unless given; on a page of the service itself, `''`. */
  baseUrl?: string;
  /** Whose resources are asked for. Without it, the account of the key, which `GET /v1/me` tells. */
  accountSid?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  patience?: Partial<Patience>;
  fetch?: Fetch;
  /** For tests: what tells the time, in milliseconds, and what waits. */
  clock?: { now(): number; wait(ms: number, signal?: AbortSignal): Promise<void> };
};

export type CallOptions = {
  /** Names what is done: with the same key nothing happens twice. Each call of a method gets its own unless given. */
  idempotencyKey?: string;
  /** Shows a second factor, where an operation without a body asks for one. */
  stepUpToken?: string;
  /** Another account than the client's, such as a subaccount. */
  accountSid?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  patience?: Partial<Patience>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Me = { accountSid: string | null };
type Ask = {
  method: Method;
  path: string;
  query?: object;
  body?: unknown;
  /** It takes an Idempotency-Key, so that it can go again whatever became of it. */
  keyed?: boolean;
  /** All it does is that something is not there afterwards. */
  removes?: boolean;
  /** The answer itself is wanted, whatever its type; else what its JSON says. */
  raw?: boolean;
};

export class Client {
  readonly #options: ClientOptions;
  readonly #credentials: Credentials;
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #clock: NonNullable<ClientOptions['clock']>;
  #me: Promise<Me> | null = null;

  constructor(options: ClientOptions) {
    const { key, signing, credentials, baseUrl = 'http://localhost:8080', clock } = options;
    const given = [key && bearer(key), signing && signed(signing), credentials].filter((one) => !!one);
    if (given.length !== 1) throw new TypeError('Give one of key, signing and credentials.');
    if (baseUrl !== '' && !URL.canParse(baseUrl)) throw new TypeError(`baseUrl is no address: ${baseUrl}`);
    this.#options = options;
    this.#credentials = given[0]!;
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    // Called as a function of its own: a browser's does not work as somebody's method.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#clock = clock ?? { now: () => performance.now(), wait };
  }

  get<T>(path: string, query?: object, options?: CallOptions): Promise<T> {
    return this.#call({ method: 'GET', path, query }, options);
  }

  list<Item, Page extends List<Item>>(
    path: string,
    query?: object,
    options?: CallOptions,
  ): Pages<Item, Page> {
    return new Pages((cursor) =>
      this.get<Page>(path, cursor === undefined ? query : { ...query, cursor }, options),
    );
  }

  /** An answer of another type than JSON, to be read as it comes. */
  raw(path: string, query?: object, options?: CallOptions): Promise<Response> {
    return this.#call({ method: 'GET', path, query, raw: true }, options);
  }

  /** A write under an Idempotency-Key. */
  keyed<T>(method: Method, path: string, body?: unknown, options?: CallOptions, query?: object): Promise<T> {
    return this.#call({ method, path, body, query, keyed: true }, options);
  }

  /** A write that takes no key. */
  write<T>(method: Method, path: string, body?: unknown, options?: CallOptions, query?: object): Promise<T> {
    return this.#call({ method, path, body, query }, options);
  }

  /** Removes something, and answers with nothing. */
  remove(path: string, options?: CallOptions, query?: object): Promise<void> {
    return this.#call({ method: 'DELETE', path, query, removes: true }, options);
  }

  /** Waits as this client does between attempts. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.wait(ms, signal);
  }

  async #call<T>(ask: Ask, options: CallOptions = {}): Promise<T> {
    const { method, keyed = false } = ask;
    const path = await this.#pathOf(ask.path, options);
    const idempotencyKey = keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : null;
    const patience = { ...usualPatience, ...this.#options.patience, ...options.patience };
    const given = bodyOf(ask.body);
    const body = given && this.#credentials.signs ? await inBytes(given) : given;
    const started = this.#clock.now();
    let isRenewed = false;
    let mayBeDone = false;
    for (let attempts = 1; ; attempts++) {
      const asked = { method, path, idempotencyKey, attempts };
      const outcome = await this.#attempt<T>(ask, asked, body, options, patience);
      if (!isFailure(outcome)) return outcome;
      // It was asked for before, and it is not there: whoever lost the answer has what they wanted.
      if (mayBeDone && ask.removes && outcome instanceof GodwitError && outcome.status === 404)
        return undefined as T;
      if (!isRenewed && outcome instanceof GodwitError && this.#credentials.renewedAfter?.(outcome)) {
        isRenewed = true;
        continue;
      }
      mayBeDone ||= outcome instanceof ConnectionError;
      const ms = mayGoAgain(ask, outcome) ? waitBefore(attempts, outcome) : null;
      const isTooLate = this.#clock.now() - started + (ms ?? 0) > patience.totalMs;
      if (ms === null || attempts > patience.retries || isTooLate) throw outcome;
      await this.wait(ms, options.signal);
    }
  }

  async #pathOf(path: string, { accountSid }: CallOptions): Promise<string> {
    if (!path.startsWith(ownAccount)) return path;
    const sid = accountSid ?? this.#options.accountSid ?? (await this.#ownAccount());
    return `/v1/accounts/${sid}${path.slice(ownAccount.length)}`;
  }

  async #ownAccount(): Promise<string> {
    this.#me ??= this.get<Me>('/v1/me').catch((error) => {
      this.#me = null;
      throw error;
    });
    const { accountSid } = await this.#me;
    if (accountSid === null)
      throw new TypeError('These credentials reach several accounts: give accountSid.');
    return accountSid;
  }

  /** One attempt: what was answered, or why there is no answer. */
  async #attempt<T>(
    ask: Ask,
    asked: Asked,
    body: Body | null,
    options: CallOptions,
    { attemptMs }: Patience,
  ): Promise<T | GodwitError | ConnectionError> {
    const query = queryPairs(ask.query);
    const headers = await this.#headersFor(ask, asked, body, options, query);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), attemptMs);
    const { signal } = options;
    try {
      const response = await this.#fetch(
        `${this.#baseUrl}${asked.path}${query.length > 0 ? `?${written(query)}` : ''}`,
        {
          method: ask.method,
          headers,
          ...(body && { body: body.content }),
          credentials: this.#credentials.sendsCookies ? 'same-origin' : 'omit',
          signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        },
      );
      if (response.ok && ask.raw) return response as T;
      const text = await response.text();
      return response.ok ? (parsed(text) as T) : failureOf(response.status, text, asked);
    } catch (error) {
      signal?.throwIfAborted();
      const reason = late.signal.aborted ? `no answer within ${attemptMs} ms` : String(error);
      return new ConnectionError(reason, asked, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #headersFor(
    { method, raw }: Ask,
    { path, idempotencyKey }: Asked,
    body: Body | null,
    { stepUpToken, headers }: CallOptions,
    query: [string, string][],
  ): Promise<Record<string, string>> {
    const prefix = this.#baseUrl && new URL(this.#baseUrl).pathname.replace(/\/$/, '');
    const bytes = body?.content instanceof Uint8Array ? body.content : new Uint8Array();
    return {
      accept: raw ? '*/*' : 'application/json',
      ...(body?.type && { 'content-type': body.type }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(stepUpToken && { 'x-step-up-token': stepUpToken }),
      ...this.#options.headers,
      ...headers,
      ...(await this.#credentials.headersFor({ method, path: `${prefix}${path}`, query, body: bytes })),
    };
  }
}

const isFailure = (outcome: unknown): outcome is GodwitError | ConnectionError =>
  outcome instanceof GodwitError || outcome instanceof ConnectionError;

/** What was refused did not happen. What got lost may have: only what a key or its own meaning keeps from happening twice goes again. */
const mayGoAgain = ({ method, keyed }: Ask, failure: GodwitError | ConnectionError) =>
  failure instanceof GodwitError
    ? true
    : failure.mayPass && (keyed || method === 'GET' || method === 'PUT' || method === 'DELETE');

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

// What proxies on the way say of themselves, and of a service they could not reach.
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

function failureOf(status: number, text: string, asked: Asked): GodwitError | ConnectionError {
  const refusal = refusalIn(text);
  if (refusal) return new GodwitError(status, refusal, asked);
  const mayPass = passing.has(status);
  return new ConnectionError(`${status}, without an error of the service in it`, asked, { mayPass });
}

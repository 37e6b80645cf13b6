// One endpoint, one declaration. Routing, credentials, scopes, limits, validation, idempotency, step-up, the OpenAPI
// document and the generic tests all follow from it.
import type { Static, TSchema } from 'typebox';
import type { Database, RequestContext, Tenant, TenantTx } from '../../db/database.ts';
import type { ApiError, ErrorDetail } from '../../errors/errors.ts';
import type { Ports, Site } from '../../ports.ts';
import type { Principal } from '../../principal.ts';
import type { Sealer } from '../../sealing.ts';
import type { Batch } from '../input/batch-body.ts';
import type { UploadedFile } from '../input/uploads.ts';
import type { AnswerHeader, AnswerHeaders } from './answer-headers.ts';
import type { Pager } from './pagination.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a handler gets of the request: judged by the schemas, nothing else. */
export type Input<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  /** The file that came with the form, as `upload.keep` kept it. */
  file: KeptFile | null;
  /** The page the caller asked for, on operations that list. */
  pager: Pager;
  /** The caller's address, after trusted proxies. */
  address: string;
  /** The fields of the form that a browser posted instead of the body; null when none was. */
  form: Record<string, string> | null;
  /** The raw header values; for the few operations that read one. */
  header(name: string): string | undefined;
  /**
   * Spends the declared second factor, in the transaction of the act: for operations that only sometimes need it, and
   * for those that call outside, whose token was only looked at before the call.
   */
  stepUp(t: TenantTx): Promise<void>;
};

/** The members of something that are sound: any of them may have been left out. */
export type Part<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Part<T[K]> }
    : T;

/** What of a request its schemas accept. Of one that they accept it is everything. */
export type Sound<I extends Record<'params' | 'query' | 'body', unknown>> = {
  [K in 'params' | 'query' | 'body']: Part<I[K]>;
} & {
  /** The places of what they refuse: given, but not sound, or missing. */
  refused: ReadonlySet<string>;
};

/** A received file that has found its place: `ref` names it there. */
export type KeptFile = Omit<UploadedFile, 'path'> & { ref: string };

/** An operation that also takes a file, by multipart/form-data, beside or instead of its JSON body. */
export type Upload = {
  /** The form without its file: every field is text. The file's own field is called `file`. */
  fields: TSchema;
  maxFileBytes: number;
  /**
   * Lays the file where it stays and names the place, before the transaction begins. A replayed request comes this way
   * too, so keeping the same file again must change nothing.
   */
  keep(call: Outside, file: UploadedFile): Promise<string>;
};

/** An answer that is more than its body. A plain object is the body of the first declared status. */
export class Answer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  readonly headers: AnswerHeaders;

  constructor(status: number, body: Body, headers: AnswerHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** 201 with the address of what was created. */
export const created = <B>(body: B, location: string) => new Answer(201, body, { location });

/** A body sent piece by piece while it is made. Whatever can be refused is refused before the first piece. */
export class StreamedAnswer {
  readonly contentType: string;
  readonly pieces: AsyncIterable<string | Uint8Array>;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(
    contentType: string,
    pieces: AsyncIterable<string | Uint8Array>,
    headers: Record<string, string> = {},
    status = 200,
  ) {
    this.contentType = contentType;
    this.pieces = pieces;
    this.headers = headers;
    this.status = status;
  }
}

export type StepUp = {
  /** The exact name a step-up token must have been issued for. */
  action: string;
  /** Which principals must show a token: everyone, or only a signed-in person. */
  from: 'everyone' | 'people';
  /** Where the body carries the token, when not in `stepUpToken`: names joined by dots. */
  field?: string;
  /** True where the contract gives the operation no body: the token then comes in `stepUpHeader`. */
  inHeader?: true;
  /** 'handler' when it depends on stored state: the handler then asks `input.stepUp()` itself. */
  askedBy?: 'handler';
};

/**
 * A key in the body that names what is done, for ever: unique in the account, environment and operation. The same content
 * under another Idempotency-Key is answered as the first was; other content is refused.
 */
export type BusinessKey = {
  /** The member of the body that holds it. */
  field: string;
  /** The member that names somebody's consent: it may be added to what was refused for want of it. */
  approval?: string;
};

/** An operation that calls outside before it can answer opens its own transactions, one after the other. */
export type Outside = RequestContext &
  Tenant & {
    /** For what must outlive a refusal, such as a counted failure: a transaction of its own. */
    database: Database;
    ports: Ports;
    site: Site;
    sealer: Sealer;
    write<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
    read<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
    /** The last write, whose result is the answer: that is kept with it, so that who asks again after a crash is told the same. */
    finish<T>(work: (t: TenantTx) => Promise<T>): Promise<T>;
  };

/** A read whose answer is sent in pieces; `signal` tells that nobody listens any more, or that the service stops. */
export type Streaming = Outside & {
  signal: AbortSignal;
  /** The time while the answer lasts; `now` is when it was asked for. */
  time(): Date;
  /** Whoever asked, as they are known by now and with what they may do by now; null once they may not have the answer any more. */
  principalNow(): Promise<Principal | null>;
};

/** A call that stands under no account and opens what it needs. */
export type Open = RequestContext & { database: Database; sealer: Sealer; ports: Ports; site: Site };

/** One of several requests of an account that share a transaction. */
export type Member<I> = { input: I; principal: Principal; requestId: string };

type Schemas = { params?: TSchema; query?: TSchema; body?: TSchema };
type Typed<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;
type InputOf<S extends Schemas> = Input<Typed<S['params']>, Typed<S['query']>, Typed<S['body']>>;

type Declared = {
  /** The contract's name of the operation. */
  id: string;
  method: Method;
  /** As in OpenAPI: /v1/accounts/{accountSid}/… */
  path: string;
  /** One line for the reference. */
  summary: string;
  description?: string;
  /** The heading it stands under in the reference. */
  tag: string;
  /** What SDKs call it, where the rule of `sdkNameOf` gives the name to another operation, or a misleading one. */
  sdk?: `${string}.${string}`;
  /** Any one of these scopes suffices; 'authenticated' needs none; 'public' needs no credentials. */
  access: readonly [string, ...string[]] | 'authenticated' | 'public';
  /** A scope that must be held beside one of `access`. */
  alsoNeeds?: string;
  /**
   * Also lets in a principal that holds the scope inside some part of the account (an inbox) and not on the account itself.
   * Nothing is granted by that: the handler answers only for those parts, or only for the person themselves.
   */
  partScoped?: true;
  /**
   * Also open in a suspended account, where reading is: for what only asks, what concerns nobody but the caller, and what keeps
   * people from harm.
   */
  whileSuspended?: true;
  /** 'required' demands the header; 'accepted' honours it when it is sent. */
  idempotency?: 'required' | 'accepted';
  /** Why a mutation takes no key at all: what repeating it does, or why its answer must never be stored. */
  repeatable?: string;
  /** Judged beside the header, before a second factor is asked for. */
  businessKey?: BusinessKey;
  /** On operations about oneself a key belongs to the person, not to the whole account. */
  keyBelongsTo?: 'account' | 'principal';
  /** The answer carries a secret shown once, so only its maker may have it replayed. */
  revealsSecret?: boolean;
  stepUp?: StepUp;
  /** Its statements take lists of one or a few, for which PostgreSQL would plan them anew each time: they keep one plan. */
  keepsPlans?: true;
  /**
   * Its requests may share a transaction with those of other accounts: everything but the handler is then done once for all of
   * them. For one that refuses before it writes, waits for no lock that somebody may hold for long
   * (`needsOwnTransaction`) and for nothing after its commit (`t.outwait`), changes no fact that is kept by version, and whose
   * statements can keep their plans.
   */
  sharesTransaction?: true;
  /** What it makes, and names in `Location`, is worked on later in a trace of its own: the request is linked to that. */
  madeIsTraced?: true;
  /** Whatever stands in the query is passed over: addresses that people share get parameters from others on their way. */
  ignoresQuery?: true;
  /** The largest body it takes, where that is not the usual one. */
  maxBodyBytes?: number;
  /** Whoever asks too often is refused with CAPTCHA_REQUIRED, and then brings a proof of work in `solutionHeader`. */
  takesSolution?: true;
  /** How the body is written: JSON unless a browser's form posts it. */
  bodyFormat?: 'form';
  /** A form posted to it is not read, whatever it says: mail programs and browsers post what they will. */
  ignoresForms?: true;
  /** Browsers, which ask for text/html, may be answered with a page (`htmlAnswer`) instead of JSON. */
  page?: true;
  /** Beside JSON, a GET may be answered with this type, by a `StreamedAnswer`, to whoever asks for it. */
  alsoAnswers?: 'application/pdf';
  /** Refusals as pages, whoever refuses; without it browsers get the error as JSON. */
  refusalPage?(error: ApiError, headers: Record<string, string | string[] | undefined>): Answer<string>;
  /**
   * The fields of a form that browsers may post instead of the JSON body, for the reference. All are texts, and the handler
   * judges them, since it shows the form again.
   */
  form?: TSchema;
  upload?: Upload;
  /** The body carries many others; the handler gets each as it is, or as the error it is refused with. */
  batch?: Batch;
  /** Answers by status; null for an empty body. The first is what a plain returned object means. */
  responses: Record<number, TSchema | null>;
  /** Headers its answers carry beside those that follow from the declaration itself. */
  sends?: readonly AnswerHeader[];
  /** A body that passes, for the reference and for whoever copies it. */
  example?: unknown;
  /** An answer, where the sample of its schema would mislead; by media type where the answer has several. */
  answerExample?: unknown;
};

type Handlers<I> = OneOf<{
  /** Runs inside one transaction (a read for GET, which may also answer with a `StreamedAnswer` of what it has read). */
  handler(t: TenantTx, input: I): Promise<unknown> | unknown;
  /**
   * Runs in one transaction with the other requests of its environment that arrived meanwhile: once for every account, beside
   * the others, with the requests of that account, and answers each of them in order. A returned ApiError refuses that request alone: nothing was written for it, and nothing is kept under its key.
   */
  together(t: TenantTx, members: Member<I>[]): Promise<unknown[]>;
  /** Calls outside between transactions. */
  outside(call: Outside, input: I): Promise<unknown>;
  /** Answers a GET with a `StreamedAnswer`, or with a plain one. */
  stream(call: Streaming, input: I): Promise<unknown>;
  /** Stands under no account. */
  open(call: Open, input: I): Promise<unknown> | unknown;
}>;

type Judging<I extends Record<'params' | 'query' | 'body', unknown>> = {
  /**
   * For one that runs `together`: true for a request that takes more locks than the usual one, so that other accounts should not
   * share its transaction. The work itself decides (`OwnTransactionNeeded`); this only spares it being done twice.
   */
  needsOwnTransaction?(input: I): boolean;
  /** Refuses what is wrong with the input alone and no schema can say, before a second factor is asked for. */
  judge?(t: TenantTx, input: I): Promise<void> | void;
  /**
   * The same, as a list and of whatever part of the input is sound: asked too where the schemas refuse another part, so that
   * everything that is wrong is told at once. It only reads, and refuses nothing itself.
   */
  issues?(t: TenantTx, input: Sound<I>): Promise<ErrorDetail[]> | ErrorDetail[];
};

/** Exactly one of these members. */
type OneOf<T> = { [K in keyof T]: Pick<T, K> & { [Other in Exclude<keyof T, K>]?: never } }[keyof T];

// biome-ignore lint/suspicious/noExplicitAny: a list of operations forgets their types; the schemas have judged them
export type AnyInput = Input<any, any, any>;

export type Operation = Declared & Schemas & Judging<AnyInput> & Handlers<AnyInput>;

type TypedInput<P, Q, B> = InputOf<{ params: P & TSchema; query: Q & TSchema; body: B & TSchema }>;

export function operation<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declaration: Declared & { params?: P; query?: Q; body?: B } & Judging<TypedInput<P, Q, B>> &
    Handlers<TypedInput<P, Q, B>>,
): Operation {
  return declaration as unknown as Operation;
}

// What the checks of the contract are made of: a name, what they do through the adapter, and how they say what differs.
import { isDeepStrictEqual } from 'node:util';
import type { ErrorCode } from '../../../platform/errors/errors.ts';
import type { Answered, Connection, Provider, ProviderApp } from '../../provider/index.ts';
import type { ByHand } from '../ports.ts';

/** Where the checks are made: a business account with a number, and the operator as partner where it is one. */
export type Stage = {
  provider: Provider;
  connection: Connection;
  wabaId: string;
  phoneNumberId: string;
  /** As our app; null where it is not known. */
  app: ProviderApp | null;
  byHand: ByHand;
  partner: { connection: Connection; businessId: string } | null;
  now: Date;
};

/** As our app; that it is not known is a difference. */
export function appOf({ app }: Stage): ProviderApp {
  if (app === null) throw new Differs('an app', 'none');
  return app;
}

export type Check = {
  /** A noun and what is tried of it. */
  name: string;
  /** Changes nothing at the provider, so that it can be made on a live account. */
  reads: boolean;
  run(stage: Stage): Promise<void>;
};

type Run = Check['run'];
export const reading = (name: string, run: Run): Check => ({ name, reads: true, run });
export const writing = (name: string, run: Run): Check => ({ name, reads: false, run });

/** Why a check failed, in few words: they are stored and shown. */
export class Differs extends Error {
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: unknown) {
    super(`expected ${expected}`);
    this.expected = expected;
    this.got = brief(got);
  }
}

const longest = 200;

export function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What was answered; a refusal is a difference. */
export function given<T>(answered: Answered<T>): T {
  if (answered.ok) return answered.value;
  const { code, providerCode, reason } = answered.failure;
  throw new Differs('an answer', `${code} (${providerCode ?? 'no code'}): ${reason}`);
}

export function same(got: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(got, expected)) throw new Differs(brief(expected), got);
}

export function holds(condition: boolean, expected: string, got: unknown): void {
  if (!condition) throw new Differs(expected, got);
}

/** Each of these is one of the words we know. */
export function known(words: readonly string[], found: readonly (string | null)[]): void {
  const strange = found.find((word) => word !== null && !words.includes(word));
  if (strange !== undefined) throw new Differs(`one of ${words.join(', ')}`, strange);
}

export function refusedWith(answered: Answered<unknown>, ...codes: ErrorCode[]): void {
  if (answered.ok) throw new Differs(codes.join(' or '), 'an answer');
  if (!codes.includes(answered.failure.code)) throw new Differs(codes.join(' or '), answered.failure.code);
}

// What a failure of the database means: whether to try again, and what to answer.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors/errors.ts';

/**
 * Whoever asks is known by a credential that was changed since it was read. What was done counts for nothing: the credential
 * is read again and judged, and then the request is run again.
 */
export class StaleCredential extends ApiError {
  constructor() {
    super('INTERNAL_TEMPORARY_ERROR');
  }
}

const mayRunAgain = new Set(['40001', '40P01']);

/** For work that touches only the database: a serialization failure or deadlock is tried again, up to 5 times. */
export async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRunAgain.has(codeOf(error)) || tries === 5) throw error;
      await sleep(randomInt(5, 20) * tries);
    }
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** True when the connection itself failed, so that nobody can say what the last statement did. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P0)/.test(code) || /^E[A-Z]+$/.test(code)) return true;
  const message = error instanceof Error ? error.message : '';
  return /Connection terminated|connection error|timeout exceeded|Client was closed/i.test(message);
}

/** True when PostgreSQL ended a statement because it, or a lock it needed, took too long. */
export const tookTooLong = (error: unknown): boolean => ['57014', '55P03'].includes(codeOf(error));

/** What a failure of the database means on the wire; null when it is a bug of ours. */
export function databaseFailure(error: unknown): ApiError | null {
  const passing = /^(40001|40P01|55P03|53|57|08)/.test(codeOf(error)) || isConnectionLoss(error);
  return passing ? new ApiError('INTERNAL_TEMPORARY_ERROR', { cause: error }) : null;
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const found = error as { code?: string; constraint?: string } | null;
  return found?.code === '23505' && (constraint === undefined || found.constraint === constraint);
}

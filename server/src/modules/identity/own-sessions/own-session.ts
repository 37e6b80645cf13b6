// The session that asks, as its page sees it; and the answer that hands a session to a browser.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { Answer } from '../../../platform/http/operations/operation.ts';
import { csrfTokenOf, environmentOf, sessionCookie } from '../sessions/session-token.ts';
import { openSessionsOf, type SessionRow, type StartedSession } from '../sessions/sessions.ts';
import { getUser } from '../users/users.ts';
import type { OwnSession, Session } from './schema.ts';

// Answers that carry a secret stay in no cache.
export const noStore = { 'cache-control': 'no-store' };

const common = (row: SessionRow) => ({
  object: 'session' as const,
  ...row,
  environment: environmentOf(row.livemode),
});

export const toSession = (row: SessionRow, currentId: string): Session => ({
  ...common(row),
  current: row.id === currentId,
});

export async function describeSession(
  t: TenantTx,
  { id, token, userSid }: { id: string; token: string; userSid: string },
): Promise<OwnSession> {
  const [row] = await openSessionsOf(t, userSid, t.now, { id });
  if (!row) throw new ApiError('AUTHENTICATION_ERROR');
  return { ...common(row), csrfToken: csrfTokenOf(t.sealer, token), user: await getUser(t, userSid) };
}

/** Sets the cookie of a session that was just started or rotated. */
export function withCookie<B>(body: B, started: StartedSession, now: Date): Answer<B> {
  const { livemode, token, absoluteExpiresAt } = started;
  const maxAgeSeconds = Math.max(0, Math.floor((absoluteExpiresAt.getTime() - now.getTime()) / 1000));
  return new Answer(200, body, { 'set-cookie': sessionCookie(livemode, token, maxAgeSeconds), ...noStore });
}

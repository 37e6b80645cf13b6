// What a signed-in person does with their own sessions.
import { ApiError } from '../../../platform/errors/errors.ts';
import { Answer, type Open } from '../../../platform/http/operations/operation.ts';
import type { Pager } from '../../../platform/http/operations/pagination.ts';
import { audit } from '../../audit/index.ts';
import { onHomeAccount } from '../home-account.ts';
import { personOf } from '../people.ts';
import { endedCookie, endedCookies, heldTokens } from '../sessions/session-token.ts';
import {
  endReplaced,
  endSessions,
  openBeside,
  openSessionsOf,
  rotateSession,
  tokenOfSession,
} from '../sessions/sessions.ts';
import { describeSession, noStore, toSession, withCookie } from './own-session.ts';

/** The person who asks, and the home their acts are written down in. */
const selfOf = (call: Open) => ({ ...personOf(call.principal), livemode: call.principal.livemode });

export async function getOwnSession(call: Open, cookie: string | undefined) {
  const { userSid, sessionId: id, ...where } = selfOf(call);
  const session = await onHomeAccount(call, where, async (t) => {
    const token = await tokenOfSession(t, id, heldTokens(cookie));
    return describeSession(t, { id, token, userSid });
  });
  return new Answer(200, session, noStore);
}

/** The other environment is another set of rights, so it gets a session of its own, in the place of what this browser had there. */
export async function openEnvironment(
  call: Open,
  environment: 'live' | 'sandbox',
  cookie: string | undefined,
) {
  const { userSid, sessionId, organizationId, livemode: asking } = selfOf(call);
  const livemode = environment === 'live';
  const { opened, session } = await onHomeAccount(call, { organizationId, livemode }, async (t) => {
    if (livemode !== asking) await endReplaced(t, t.now, cookie, livemode);
    const next = await (livemode === asking ? rotateSession : openBeside)(t, t.now, sessionId);
    if (!next) throw new ApiError('AUTHENTICATION_ERROR');
    audit(t, {
      action: 'session.environment_changed',
      resource: next.id,
      facts: { environment, from: sessionId },
    });
    const { id, token } = next;
    return { opened: next, session: await describeSession(t, { id, token, userSid }) };
  });
  return withCookie(session, opened, call.now);
}

/** Whoever signs out leaves the browser: the session of the other environment does not stay behind. */
export async function signOut(call: Open, cookie: string | undefined) {
  const { userSid, sessionId, ...where } = selfOf(call);
  const tokens = Object.values(heldTokens(cookie)).filter((token) => token !== null);
  await onHomeAccount(call, where, async (t) => {
    const sessions = await endSessions(t, t.now, { tokens }, 'signed_out');
    audit(t, { action: 'sign_out', resource: userSid, facts: { sessionId, sessions } });
  });
  return new Answer(204, null, { 'set-cookie': endedCookies });
}

export async function listOwnSessions(call: Open, pager: Pager) {
  const { userSid, sessionId } = selfOf(call);
  const [before] = pager.after ?? [null];
  const rows = await call.database.system((s) =>
    openSessionsOf(s, userSid, call.now, { before: before as string | null, limit: pager.fetch }),
  );
  return pager.page(
    rows,
    ({ id }) => [id],
    (row) => toSession(row, sessionId),
  );
}

/** Ends one of one's own sessions, this one included. Somebody else's does not exist. */
export async function endOwnSession(call: Open, id: string) {
  const { userSid, sessionId, ...where } = selfOf(call);
  const { livemode } = where;
  await onHomeAccount(call, where, async (t) => {
    const [found] = await openSessionsOf(t, userSid, t.now, { id });
    if (!found) throw new ApiError('NOT_FOUND');
    await endSessions(t, t.now, { id }, 'ended_by_user');
    audit(t, { action: 'session.ended', resource: id, facts: { userSid } });
  });
  return new Answer(204, null, id === sessionId ? { 'set-cookie': endedCookie(livemode) } : {});
}

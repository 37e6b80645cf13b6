// The life of a session: started by a sign-in, kept alive by use, ended by sign-out, time, policy or an administrator.
import type { Queries, SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import { hashToken, newSessionToken } from './session-token.ts';

export type SignInMethod = 'password' | 'oidc' | 'saml' | 'webauthn' | 'totp' | 'recovery_code';

export type NewSession = {
  organizationId: string;
  userSid: string;
  livemode: boolean;
  methods: SignInMethod[];
  /** The identity provider that vouched for the person; its suspension ends the session. */
  providerId: string | null;
  address: string;
  userAgent: string;
  absoluteTimeoutHours: number;
};

export type StartedSession = { id: string; token: string; absoluteExpiresAt: Date };

/** Always a new token: a session known before the sign-in is never promoted. */
export async function startSession(s: SystemTx, now: Date, session: NewSession): Promise<StartedSession> {
  const id = newUuid(now);
  const token = newSessionToken();
  const absoluteExpiresAt = new Date(now.getTime() + session.absoluteTimeoutHours * 3_600_000);
  await s.run(sql`
    insert into sessions (id, organization_id, user_sid, token_hash, livemode, provider_id, methods, address, user_agent,
      created_at, last_seen_at, absolute_expires_at)
    values (${id}, ${session.organizationId}, ${session.userSid}, ${hashToken(token)}, ${session.livemode},
      ${session.providerId}, ${session.methods}, ${session.address}, ${session.userAgent.slice(0, 512)},
      ${now}, ${now}, ${absoluteExpiresAt})`);
  return { id, token, absoluteExpiresAt };
}

export type LiveSession = {
  id: string;
  organizationId: string;
  userSid: string;
  livemode: boolean;
  methods: SignInMethod[];
  providerId: string | null;
  lastSeenAt: string;
};

// A session's last use is written at most once a minute: exact enough for timeouts counted in minutes.
const seenEveryMs = 60_000;

/** The session of a token, if it may still be used now; a use keeps it alive. */
export async function useSession(s: SystemTx, token: string, now: Date): Promise<LiveSession | null> {
  const session = await s.maybe<LiveSession>(sql`
    select s.id, s.organization_id as "organizationId", s.user_sid as "userSid", s.livemode, s.methods,
      s.provider_id as "providerId", s.last_seen_at as "lastSeenAt"
      from sessions s
      join users u on u.sid = s.user_sid and u.status = 'ACTIVE'
      left join auth_policies p on p.organization_id = s.organization_id
     where s.token_hash = ${hashToken(token)} and s.revoked_at is null and s.absolute_expires_at > ${now}
       and s.last_seen_at > ${now}::timestamptz
         - make_interval(mins => coalesce(p.session_idle_timeout_minutes, ${defaultIdleMinutes}))`);
  if (!session) return null;
  if (now.getTime() - new Date(session.lastSeenAt).getTime() >= seenEveryMs) {
    await s.run(
      sql`update sessions set last_seen_at = ${now} where id = ${session.id} and last_seen_at < ${now}`,
    );
  }
  return session;
}

export const defaultIdleMinutes = 60;
export const defaultAbsoluteHours = 24;

type Which = { userSid: string } | { providerId: string } | { id: string };

/** Ends sessions at once and tells how many. */
export async function endSessions(q: Queries, now: Date, which: Which, reason: string): Promise<number> {
  const { userSid = null, providerId = null, id = null } = which as Partial<Record<string, string>>;
  return q.run(sql`
    update sessions set revoked_at = ${now}, revoke_reason = ${reason}
     where revoked_at is null and (user_sid = ${userSid} or provider_id = ${providerId}::uuid or id = ${id}::uuid)`);
}

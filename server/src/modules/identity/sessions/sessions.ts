// The life of a session: started by a sign-in, kept alive by use, ended by sign-out, time, policy or an administrator.
import type { Queries, SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newUuid } from '../../../platform/ids.ts';
import {
  environmentOf,
  type HeldTokens,
  hashToken,
  heldTokens,
  newSessionToken,
  type Presented,
  tokensOf,
} from './session-token.ts';

export const defaultIdleMinutes = 60;
export const defaultAbsoluteHours = 24;

export type SignInMethod = 'password' | 'oidc' | 'saml' | 'webauthn' | 'totp' | 'recovery_code';

export type FactorProvider = { method: string; providerKey: string };

export type NewSession = {
  organizationId: string;
  userSid: string;
  livemode: boolean;
  methods: SignInMethod[];
  /** The identity provider that vouched for the person; its suspension ends the session. */
  providerId: string | null;
  /** What backed the second factor, where one was proven; its suspension ends the session too. */
  factor?: FactorProvider | null;
  address: string;
  userAgent: string;
  absoluteTimeoutHours: number;
};

export type StartedSession = { id: string; token: string; livemode: boolean; absoluteExpiresAt: Date };

/** Always a new token: a session known before the sign-in is never promoted. */
export async function startSession(s: SystemTx, now: Date, session: NewSession): Promise<StartedSession> {
  const id = newUuid(now);
  const token = newSessionToken();
  const absoluteExpiresAt = new Date(now.getTime() + session.absoluteTimeoutHours * 3_600_000);
  await s.run(sql`
    insert into sessions (id, organization_id, user_sid, token_hash, livemode, provider_id, methods, factor_method,
      factor_provider_key, address, user_agent, created_at, last_seen_at, absolute_expires_at)
    values (${id}, ${session.organizationId}, ${session.userSid}, ${hashToken(token)}, ${session.livemode},
      ${session.providerId}, ${session.methods}, ${session.factor?.method ?? null},
      ${session.factor?.providerKey ?? null}, ${session.address}, ${session.userAgent.slice(0, 512)}, ${now}, ${now},
      ${absoluteExpiresAt})`);
  return { id, token, livemode: session.livemode, absoluteExpiresAt };
}

export type LiveSession = {
  id: string;
  organizationId: string;
  userSid: string;
  livemode: boolean;
  methods: SignInMethod[];
  providerId: string | null;
  /** The organization demands a second factor and this session was begun without one: it may only add one. */
  enrollmentOnly: boolean;
  lastSeenAt: string;
  /** The one of the tokens held that it was found by. */
  token: string;
};

const secondFactors: SignInMethod[] = ['webauthn', 'totp', 'recovery_code'];

/** Whether the person proved a second factor, or came by a provider, which answers for one. */
export const isProvenTwice = ({
  methods,
  providerId,
}: Pick<LiveSession, 'methods' | 'providerId'>): boolean =>
  providerId !== null || methods.some((method) => secondFactors.includes(method));

// A provider that vouches for the person answers for their second factor too.
const isEnrollmentOnly = sql`coalesce(p.mfa_required_for_all_roles, false) and s.provider_id is null
  and not (s.methods && ${secondFactors}::text[])`;

/** Of a session `s` under a policy `p`. Policy may shorten a session that is already open, never lengthen it. */
export const isAlive = (now: Date) => sql`s.revoked_at is null and s.absolute_expires_at > ${now}
  and s.created_at > ${now}::timestamptz
    - make_interval(hours => coalesce(p.session_absolute_timeout_hours, ${defaultAbsoluteHours}))
  and s.last_seen_at > ${now}::timestamptz
    - make_interval(mins => coalesce(p.session_idle_timeout_minutes, ${defaultIdleMinutes}))`;

/** The session of the first token that may still be used now; a use keeps it alive. */
export async function useSession(s: SystemTx, presented: Presented, now: Date): Promise<LiveSession | null> {
  const session = await findSession(s, presented, now);
  if (session && new Date(session.lastSeenAt) < now) await noteUse(s, session.id, now);
  return session;
}

/** The same, which does not count as a use. */
export async function findSession(
  s: SystemTx,
  { tokens, livemode }: Presented,
  now: Date,
): Promise<LiveSession | null> {
  for (const token of tokens) {
    const session = await sessionOf(s, token, livemode, now);
    if (session) return { ...session, token };
  }
  return null;
}

function sessionOf(s: SystemTx, token: string, livemode: boolean | null, now: Date) {
  return s.maybe<Omit<LiveSession, 'token'>>(sql`
    select s.id, s.organization_id as "organizationId", s.user_sid as "userSid", s.livemode, s.methods,
      s.provider_id as "providerId", s.last_seen_at as "lastSeenAt", ${isEnrollmentOnly} as "enrollmentOnly"
      from sessions s
      join users u on u.sid = s.user_sid and u.status = 'ACTIVE'
      left join auth_policies p on p.organization_id = s.organization_id
     where s.token_hash = ${hashToken(token)} and ${isAlive(now)}
       and (${livemode}::boolean is null or s.livemode = ${livemode}::boolean)`);
}

/** The one of the tokens a browser holds that is of this session. */
export async function tokenOfSession(q: Queries, id: string, held: HeldTokens): Promise<string> {
  const { tokenHash } = await q.one<{ tokenHash: Buffer }>(sql`
    select token_hash as "tokenHash" from sessions where id = ${id}`);
  return Object.values(held).find((token) => token !== null && hashToken(token).equals(tokenHash))!;
}

/**
 * Every use is written down: one that is not would end the session before its idle limit. Of uses at the same moment one
 * is enough, so none waits for another; and a use that is lost with a crash is not worth waiting for the disk.
 */
async function noteUse(s: SystemTx, id: string, now: Date): Promise<void> {
  await s.run(sql`
    update sessions set last_seen_at = ${now}
     where id = (select id from sessions where id = ${id} and last_seen_at < ${now} for update skip locked)
       and set_config('synchronous_commit', 'off', true) = 'off'`);
}

export type SessionRow = {
  id: string;
  organizationId: string;
  userSid: string;
  livemode: boolean;
  methods: SignInMethod[];
  enrollmentOnly: boolean;
  address: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
};

/** The open sessions of a person, newest first; `id` narrows to one. */
export function openSessionsOf(
  q: Queries,
  userSid: string,
  now: Date,
  { id = null, before = null, limit = 1 }: { id?: string | null; before?: string | null; limit?: number },
): Promise<SessionRow[]> {
  return q.many<SessionRow>(sql`
    select s.id, s.organization_id as "organizationId", s.user_sid as "userSid", s.livemode, s.methods,
      ${isEnrollmentOnly} as "enrollmentOnly", s.address, s.user_agent as "userAgent", s.created_at as "createdAt",
      s.last_seen_at as "lastSeenAt",
      least(s.absolute_expires_at, s.created_at
        + make_interval(hours => coalesce(p.session_absolute_timeout_hours, ${defaultAbsoluteHours}))) as "expiresAt"
      from sessions s left join auth_policies p on p.organization_id = s.organization_id
     where s.user_sid = ${userSid} and ${isAlive(now)} and (${id}::uuid is null or s.id = ${id}::uuid)
       and (${before}::uuid is null or s.id < ${before}::uuid)
     order by s.id desc limit ${limit}`);
}

/** Gives a session a new id and token, as every change of what it may do demands. Null when it has ended meanwhile. */
export async function rotateSession(q: Queries, now: Date, id: string): Promise<StartedSession | null> {
  const rotated = await q.run(sql`
    update sessions set revoked_at = ${now}, revoke_reason = 'rotated' where id = ${id} and revoked_at is null`);
  return rotated === 0 ? null : copySession(q, now, id);
}

/** Opens a session of the other environment beside this one. Null when this one has ended meanwhile. */
export async function openBeside(q: Queries, now: Date, id: string): Promise<StartedSession | null> {
  const open = await q.maybe(sql`select 1 from sessions where id = ${id} and revoked_at is null for share`);
  return open ? copySession(q, now, id, sql`not livemode`) : null;
}

/** The same session under another id and token: begun when it was begun, ending when it would have ended. */
async function copySession(
  q: Queries,
  now: Date,
  id: string,
  livemode = sql`livemode`,
): Promise<StartedSession> {
  const next = newUuid(now);
  const token = newSessionToken();
  const row = await q.one<{ absoluteExpiresAt: string; livemode: boolean }>(sql`
    insert into sessions (id, organization_id, user_sid, token_hash, livemode, provider_id, methods, factor_method,
      factor_provider_key, address, user_agent, created_at, last_seen_at, absolute_expires_at)
    select ${next}::uuid, organization_id, user_sid, ${hashToken(token)}::bytea, ${livemode}, provider_id, methods,
      factor_method, factor_provider_key, address, user_agent, created_at, ${now}::timestamptz, absolute_expires_at
      from sessions where id = ${id}
    returning livemode, absolute_expires_at as "absoluteExpiresAt"`);
  return { id: next, token, ...row, absoluteExpiresAt: new Date(row.absoluteExpiresAt) };
}

type Which =
  | { userSid: string; exceptId?: string }
  | { providerId: string }
  | { organizationId: string; factor: FactorProvider }
  | { id: string }
  | { tokens: string[]; livemode?: boolean };

/** Ends sessions at once and tells how many. */
export async function endSessions(q: Queries, now: Date, which: Which, reason: string): Promise<number> {
  const {
    userSid = null,
    exceptId = null,
    providerId = null,
    organizationId = null,
    id = null,
  } = which as Partial<Record<string, string>>;
  const { tokens = [], livemode = null } = 'tokens' in which ? which : {};
  const factor = 'factor' in which ? which.factor : null;
  return q.run(sql`
    update sessions set revoked_at = ${now}, revoke_reason = ${reason}
     where revoked_at is null and (${exceptId}::uuid is null or id <> ${exceptId}::uuid)
       and (user_sid = ${userSid} or provider_id = ${providerId}::uuid or id = ${id}::uuid
         or (organization_id = ${organizationId}::uuid and factor_method = ${factor?.method ?? null}
           and factor_provider_key = ${factor?.providerKey ?? null})
         or (token_hash = any(${tokens.map(hashToken)}::bytea[])
           and (${livemode}::boolean is null or livemode = ${livemode}::boolean)))`);
}

/** The session this browser had in an environment until now is not kept beside the new one. */
export async function endReplaced(
  q: Queries,
  now: Date,
  cookies: string | undefined,
  livemode: boolean,
): Promise<void> {
  const { tokens } = tokensOf(heldTokens(cookies), environmentOf(livemode));
  if (tokens.length > 0) await endSessions(q, now, { tokens, livemode }, 'replaced');
}

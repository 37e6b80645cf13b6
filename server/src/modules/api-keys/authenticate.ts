// Turns the credentials of a request into a principal. Every failure before the secret proved right looks the same.
import ipaddr from 'ipaddr.js';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { equalHashes } from '../../platform/hashing.ts';
import type { Authentication, Authenticator, Incoming } from '../../platform/http/operations/serving.ts';
import type { Log } from '../../platform/observability/logging.ts';
import type { Principal } from '../../platform/principal.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Effective } from '../roles/index.ts';
import { boundScopes, signingSecretContext } from './api-keys.ts';
import { hashSecret, parseKeyText, parsePublicPart, publicPart } from './key-text.ts';
import { isFresh, isNonce, signatureHolds, toleranceSeconds } from './request-signature.ts';

type Row = {
  id: string;
  accountSid: string;
  livemode: boolean;
  lookup: string;
  secretHash: Buffer;
  signingSecret: Buffer;
  scopes: string[];
  allowedCidrs: string[];
  signingRequired: boolean;
  requestsPerSecond: number | null;
  disabledAt: string | null;
  expiresAt: string | null;
};

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];
type KnownKey = Row & { principal: Principal; ranges: Range[]; boundUntilMs: number };

type Options = { database: Database; sealer: Sealer; log: Log };

export type KeyAuthentication = { authenticator: Authenticator; stop(): Promise<void> };

// Known keys are remembered, since asking the database costs as much as a simple read. A change is announced by the
// database to every process at commit; the bound only covers an announcement that never arrives.
const rememberedMs = 10_000;
const maxRemembered = 20_000;

export async function startKeyAuthentication({ database, sealer, log }: Options): Promise<KeyAuthentication> {
  const remembered = new Map<string, { key: KnownKey; untilMs: number }>();
  const lastUse = trackLastUse(database, log);
  // Counts what was forgotten, so that a row read before a change is not remembered after it.
  let changes = 0;
  const forget = (lookup?: string) => {
    changes += 1;
    if (lookup && lookup !== '*') remembered.delete(lookup);
    else remembered.clear();
  };
  const stopListening = await database.listen('api_key_changed', forget, forget);

  const read = async (lookup: string, now: Date): Promise<KnownKey | undefined> => {
    const changesBefore = changes;
    const key = await database.system(async (s) => {
      const row = await s.maybe<Row>(findByLookup(lookup));
      return row && toKnownKey(row, await boundScopes(s, row, now));
    });
    if (!key) return undefined;
    if (remembered.size >= maxRemembered) remembered.clear();
    // A role that ends by itself is announced by nobody.
    const untilMs = Math.min(now.getTime() + rememberedMs, key.boundUntilMs);
    if (changes === changesBefore) remembered.set(lookup, { key, untilMs });
    return key;
  };

  // Whoever asks for a key that is just being read waits for that: when a busy key is forgotten, hundreds of requests would
  // else ask for it at once. One read before a change is not waited for after it.
  const reading = new Map<string, { since: number; answer: Promise<KnownKey | undefined> }>();

  const find = async (lookup: string, now: Date): Promise<KnownKey | undefined> => {
    const known = remembered.get(lookup);
    const nowMs = now.getTime();
    if (known && known.untilMs > nowMs && known.untilMs <= nowMs + rememberedMs) return known.key;
    const begun = reading.get(lookup);
    if (begun && begun.since === changes) {
      const key = await begun.answer;
      if (!key || key.boundUntilMs > nowMs) return key;
    }
    const entry = { since: changes, answer: read(lookup, now) };
    reading.set(lookup, entry);
    try {
      return await entry.answer;
    } finally {
      if (reading.get(lookup) === entry) reading.delete(lookup);
    }
  };

  const authenticator: Authenticator = async (incoming, now) => {
    const claim = readClaim(incoming);
    if (!claim) return null;
    const key = await (claim.signed ? find(claim.lookup, now).catch(cannotAsk) : find(claim.lookup, now));
    if (claim.secret !== null) refuseWrongSecret(key, claim.secret);
    if (!key || key.livemode !== claim.livemode) throw new ApiError('AUTHENTICATION_ERROR');
    const accept = () => {
      refuseUnusable(key, incoming.address, now);
      lastUse.note(key, now);
    };
    if (claim.signed) return signedRequest({ key, incoming, now, database, sealer, accept });
    accept();
    if (key.signingRequired) throw new ApiError('SIGNATURE_REQUIRED');
    return { principal: key.principal };
  };
  return {
    authenticator,
    async stop() {
      await stopListening();
      await lastUse.stop();
    },
  };
}

const findByLookup = (lookup: string) => sql`
  select id, account_sid as "accountSid", livemode, lookup, secret_hash as "secretHash",
    signing_secret as "signingSecret", scopes, allowed_cidrs as "allowedCidrs", signing_required as "signingRequired",
    requests_per_second as "requestsPerSecond", disabled_at as "disabledAt", expires_at as "expiresAt"
    from api_keys where lookup = ${lookup}`;

function toKnownKey(row: Row, bound: Effective): KnownKey {
  const scopes = new Set([...row.scopes, ...bound.scopes]);
  return {
    ...row,
    ranges: row.allowedCidrs.map(readRange),
    boundUntilMs: bound.untilMs,
    principal: {
      kind: 'api_key',
      ref: row.id,
      accountSid: row.accountSid,
      organizationId: null,
      livemode: row.livemode,
      partScopes: bound.inboxScopes,
      scopesOn: (accountSid) => (accountSid === row.accountSid ? scopes : null),
      requestsPerSecond: row.requestsPerSecond,
      sessionId: null,
    },
  };
}

/** A range of IPv4 addresses written as IPv6 (::ffff:192.0.2.0/120) is the range of IPv4 addresses it is. */
function readRange(text: string): Range {
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

type Claim = { livemode: boolean; lookup: string; secret: string | null; signed: boolean };

const header = (incoming: Incoming, name: string): string | null => {
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : null;
};

/** What the request says it is: a bearer key, a signature that names a key, or both for the same key. */
function readClaim(incoming: Incoming): Claim | null {
  const bearer = /^Bearer ([^\s]+)$/i.exec(header(incoming, 'authorization') ?? '')?.[1];
  const named = header(incoming, 'x-service-key');
  const key = bearer === undefined ? null : parseKeyText(bearer);
  if (bearer !== undefined && !key) return null;
  if (named === null) return key && { ...key, signed: false };
  const part = parsePublicPart(named);
  if (!part || (key && publicPart(key.livemode, key.lookup) !== named)) return null;
  return { ...part, secret: key?.secret ?? null, signed: true };
}

// Compared when no such key exists, so that an unknown key takes as long as a wrong one.
const nobody = hashSecret('');

function refuseWrongSecret(key: KnownKey | undefined, secret: string): void {
  const right = equalHashes(hashSecret(secret), key?.secretHash ?? nobody);
  if (!right || !key) throw new ApiError('AUTHENTICATION_ERROR');
}

/** Told only to whoever proved to hold the key. */
function refuseUnusable(key: KnownKey, address: string, now: Date): void {
  if (key.disabledAt !== null) throw new ApiError('API_KEY_DISABLED');
  if (key.expiresAt !== null && new Date(key.expiresAt) <= now) throw new ApiError('AUTHENTICATION_ERROR');
  if (key.ranges.length > 0 && !isWithin(address, key.ranges)) throw new ApiError('AUTHENTICATION_ERROR');
}

function isWithin(address: string, ranges: KnownKey['ranges']): boolean {
  // A proxy may tell of no address, or of one with a port: nobody allowed that.
  if (!ipaddr.isValid(address)) return false;
  // `process` reads an IPv4 address that came over IPv6 as the IPv4 address it is.
  const from = ipaddr.process(address);
  return ranges.some(([base, bits]) => from.kind() === base.kind() && from.match(base, bits));
}

type Signed = {
  key: KnownKey;
  incoming: Incoming;
  now: Date;
  database: Database;
  sealer: Sealer;
  accept(): void;
};

function signedRequest({ key, incoming, now, database, sealer, accept }: Signed): Authentication {
  const timestamp = header(incoming, 'x-service-timestamp');
  const nonce = header(incoming, 'x-service-nonce');
  const signature = header(incoming, 'x-service-signature');
  if (timestamp === null || nonce === null || signature === null) throw new ApiError('SIGNATURE_REQUIRED');
  return {
    principal: key.principal,
    async confirm(bodySha256) {
      const secret = sealer
        .open(key.signingSecret, signingSecretContext(key.accountSid, key.id))
        .toString('utf8');
      const parts = { method: incoming.method, url: incoming.url, timestamp, nonce, bodySha256 };
      const holds = signatureHolds(secret, parts, signature) && isNonce(nonce) && isFresh(timestamp, now);
      if (!holds) throw new ApiError('SIGNATURE_INVALID');
      accept();
      await spendNonce(database, key, nonce, Number(timestamp));
    },
  };
}

/** A signature that cannot be checked is neither good nor bad: nothing is processed, and the same request may be repeated. */
function cannotAsk(cause: unknown): never {
  throw new ApiError('SIGNING_UNAVAILABLE', { cause });
}

/** Committed by itself before the request is judged further: a refused request has used its nonce all the same. */
async function spendNonce(
  database: Database,
  key: KnownKey,
  nonce: string,
  timestamp: number,
): Promise<void> {
  const expiresAt = new Date((timestamp + toleranceSeconds + 1) * 1000);
  const spent = await database
    .system((s) =>
      s.run(sql`
        insert into request_nonces (account_sid, livemode, key_id, nonce, expires_at)
        values (${key.accountSid}, ${key.livemode}, ${key.id}, ${nonce}, ${expiresAt})
        on conflict do nothing`),
    )
    .catch(cannotAsk);
  if (spent === 0) throw new ApiError('SIGNATURE_REPLAYED');
}

/** Notes when keys were used and writes it down every few seconds, in one statement for all of them. */
function trackLastUse(database: Database, log: Log) {
  let used = new Map<string, Date>();
  const write = async () => {
    if (used.size === 0) return;
    const batch = used;
    used = new Map();
    await database
      .system((s) =>
        s.run(sql`
          update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
            from unnest(${[...batch.keys()]}::text[], ${[...batch.values()]}::timestamptz[]) as u (lookup, at)
           where k.lookup = u.lookup`),
      )
      .catch((error) => log.warn({ err: error }, 'could not note when keys were last used'));
  };
  const timer = setInterval(() => void write(), 5_000).unref();
  return {
    note: (key: KnownKey, now: Date) => void used.set(key.lookup, now),
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}

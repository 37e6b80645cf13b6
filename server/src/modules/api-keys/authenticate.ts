// Turns the credentials of a request into a principal. Every failure before the secret proved right looks the same.
import ipaddr from 'ipaddr.js';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { equalHashes } from '../../platform/hashing.ts';
import type { Authentication, Authenticator, Incoming } from '../../platform/http/operations/serving.ts';
import type { Log } from '../../platform/observability/logging.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { signingSecretContext } from './api-keys.ts';
import { hashSecret, parseKeyText, parsePublicPart, publicPart } from './key-text.ts';
import { type KnownKey, rememberKeys } from './remember-keys.ts';
import { isFresh, isNonce, signatureHolds, toleranceSeconds } from './request-signature.ts';

type Options = { database: Database; sealer: Sealer; log: Log };

export type KeyAuthentication = { authenticator: Authenticator; stop(): Promise<void> };

export async function startKeyAuthentication({ database, sealer, log }: Options): Promise<KeyAuthentication> {
  const keys = await rememberKeys(database);
  const lastUse = trackLastUse(database, log);

  const authenticator: Authenticator = async (incoming, now) => {
    const claim = readClaim(incoming);
    if (!claim) return null;
    const failing = claim.signed ? cannotAsk : rethrow;
    let { key, isCurrent } = await keys.find(claim.lookup, now).catch(failing);
    const lookAgain = async () => {
      key = await keys.findAgain(claim.lookup, now).catch(failing);
      isCurrent = true;
    };
    /** Where one is refused that was only remembered, it is judged once more as it is now. */
    const judged = async (judge: Judge): Promise<KnownKey> => {
      try {
        return judge(key);
      } catch (error) {
        if (isCurrent) throw error;
        await lookAgain();
        return judge(key);
      }
    };
    const known: Judge = (found) => refuseUnknown(found, claim);
    const usable: Judge = (found) => refuseUnusable(known(found), incoming.address, now);
    const bearing: Judge = (found) => refuseUnsigned(usable(found));
    /** Those that sign have proved it once; nobody can sign again for what goes on. */
    const look = async (at: Date) => {
      // What is remembered may be older than whoever asks believes.
      const found = await keys.findAgain(claim.lookup, at).catch(failing);
      const usableNow = refuseUnusable(known(found), incoming.address, at);
      return (claim.signed ? usableNow : refuseUnsigned(usableNow)).principal;
    };
    const accept = async (judge: Judge) => {
      const accepted = await judged(judge);
      lastUse.note(accepted, now);
      return accepted;
    };
    const renewBy = (judge: () => Judge) => async () => {
      await lookAgain();
      return judge()(key).principal;
    };
    if (!claim.signed) {
      const { principal } = await accept(bearing);
      return { principal, look, renew: renewBy(() => bearing) };
    }
    const { principal } = await judged(known);
    const request = readSignature(incoming, now);
    let signing = known;
    const confirm: Authentication['confirm'] = async (bodySha256) => {
      signing = (found) => {
        refuseWrongSignature(known(found), sealer, request, bodySha256);
        return usable(found);
      };
      await spendNonce(database, await accept(signing), request);
    };
    return { principal, confirm, look, renew: renewBy(() => signing) };
  };
  return {
    authenticator,
    async stop() {
      await keys.stop();
      await lastUse.stop();
    },
  };
}

/** Throws why a key is refused. */
type Judge = (key: KnownKey | undefined) => KnownKey;

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

function refuseUnknown(key: KnownKey | undefined, { secret, livemode }: Claim): KnownKey {
  const right = secret === null || equalHashes(hashSecret(secret), key?.secretHash ?? nobody);
  if (!right || !key || key.livemode !== livemode) throw new ApiError('AUTHENTICATION_ERROR');
  return key;
}

function refuseUnsigned(key: KnownKey): KnownKey {
  if (key.signingRequired) throw new ApiError('SIGNATURE_REQUIRED');
  return key;
}

/** Told only to whoever proved to hold the key. */
function refuseUnusable(key: KnownKey, address: string, now: Date): KnownKey {
  if (key.disabledAt !== null) throw new ApiError('API_KEY_DISABLED');
  if (key.expiresAt !== null && new Date(key.expiresAt) <= now) throw new ApiError('AUTHENTICATION_ERROR');
  if (key.ranges.length > 0 && !isWithin(address, key.ranges)) throw new ApiError('AUTHENTICATION_ERROR');
  return key;
}

function isWithin(address: string, ranges: KnownKey['ranges']): boolean {
  // A proxy may tell of no address, or of one with a port: nobody allowed that.
  if (!ipaddr.isValid(address)) return false;
  // `process` reads an IPv4 address that came over IPv6 as the IPv4 address it is.
  const from = ipaddr.process(address);
  return ranges.some(([base, bits]) => from.kind() === base.kind() && from.match(base, bits));
}

/** What a signed request says beside its body. */
type SignedRequest = Pick<Incoming, 'method' | 'url'> & {
  timestamp: string;
  nonce: string;
  signature: string;
  now: Date;
};

function readSignature(incoming: Incoming, now: Date): SignedRequest {
  const timestamp = header(incoming, 'x-service-timestamp');
  const nonce = header(incoming, 'x-service-nonce');
  const signature = header(incoming, 'x-service-signature');
  if (timestamp === null || nonce === null || signature === null) throw new ApiError('SIGNATURE_REQUIRED');
  return { method: incoming.method, url: incoming.url, timestamp, nonce, signature, now };
}

function refuseWrongSignature(
  key: KnownKey,
  sealer: Sealer,
  { signature, now, ...request }: SignedRequest,
  bodySha256: string,
): void {
  const context = signingSecretContext(key.accountSid, key.id);
  const secret = sealer.open(key.signingSecret, context).toString('utf8');
  const holds =
    signatureHolds(secret, { ...request, bodySha256 }, signature) &&
    isNonce(request.nonce) &&
    isFresh(request.timestamp, now);
  if (!holds) throw new ApiError('SIGNATURE_INVALID');
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** A signature that cannot be checked is neither good nor bad: nothing is processed, and the same request may be repeated. */
function cannotAsk(cause: unknown): never {
  throw new ApiError('SIGNING_UNAVAILABLE', { cause });
}

/** Committed by itself before the request is judged further: a refused request has used its nonce all the same. */
async function spendNonce(
  database: Database,
  key: KnownKey,
  { nonce, timestamp }: SignedRequest,
): Promise<void> {
  const expiresAt = new Date((Number(timestamp) + toleranceSeconds + 1) * 1000);
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

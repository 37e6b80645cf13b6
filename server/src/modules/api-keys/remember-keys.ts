// API keys as they were last read. Whatever is done in the name of one is done under the version it was read under, or not at
// all; and nobody is refused by one before it was read again.
import ipaddr from 'ipaddr.js';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Principal } from '../../platform/principal.ts';
import { findAccount } from '../accounts/index.ts';
import { requestsPerSecondOf } from '../plans/index.ts';
import { type Effective, staffScope } from '../roles/index.ts';
import { boundScopes } from './api-keys.ts';

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
  /** Of the account's credentials, read with the row. */
  version: string;
};

export type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];
export type KnownKey = Row & { principal: Principal; ranges: Range[]; boundUntilMs: number };

/** `isCurrent` says that it was read for whoever asked. */
type Found = { key: KnownKey | undefined; isCurrent: boolean };

// Asking the database costs as much as a simple read. A change is announced by the database to every process at commit; that, and
// the bound, only spare requests from finding out by themselves.
const rememberedMs = 10_000;
const maxRemembered = 20_000;

export type RememberedKeys = {
  find(lookup: string, now: Date): Promise<Found>;
  /** The key by a read that begins after this was asked for. */
  findAgain(lookup: string, now: Date): Promise<KnownKey | undefined>;
  stop(): Promise<void>;
};

export async function rememberKeys(database: Database): Promise<RememberedKeys> {
  const remembered = new Map<string, { key: KnownKey; untilMs: number }>();
  // Counts what was forgotten, so that a row read before a change is not remembered after it.
  let changes = 0;
  const forget = (lookup?: string) => {
    changes += 1;
    if (lookup && lookup !== '*') remembered.delete(lookup);
    else remembered.clear();
  };
  const stop = await database.listen('api_key_changed', forget, forget);

  const read = async (lookup: string, now: Date): Promise<KnownKey | undefined> => {
    const changesBefore = changes;
    const key = await database.system(async (s) => {
      const row = await s.maybe<Row>(findByLookup(lookup));
      if (!row) return undefined;
      const [bound, planned, account] = await Promise.all([
        boundScopes(s, row, now),
        requestsPerSecondOf(s, row.accountSid),
        findAccount(s, row.accountSid),
      ]);
      const requestsPerSecond = row.requestsPerSecond ?? planned;
      return toKnownKey({ ...row, requestsPerSecond }, bound, account!.accountStatus === 'suspended');
    });
    if (!key) {
      remembered.delete(lookup);
      return undefined;
    }
    if (remembered.size >= maxRemembered) remembered.clear();
    // A role that ends by itself is announced by nobody.
    const untilMs = Math.min(now.getTime() + rememberedMs, key.boundUntilMs);
    if (changes === changesBefore) remembered.set(lookup, { key, untilMs });
    return key;
  };

  // Whoever asks for a key that is just being read waits for that: when a busy key is forgotten, hundreds of requests would
  // else ask for it at once. One read before a change is not waited for after it.
  const reading = new Map<string, { since: number; answer: Promise<KnownKey | undefined> }>();
  const readingAgain = new Map<string, Promise<KnownKey | undefined>>();
  const readingNext = new Map<string, Promise<KnownKey | undefined>>();

  /** One that is under way may have looked before the change that somebody asks for: they share the next one. */
  const readAgain = (lookup: string, now: Date) => {
    const begin = () => {
      readingNext.delete(lookup);
      const own = read(lookup, now).finally(() => {
        if (readingAgain.get(lookup) === own) readingAgain.delete(lookup);
      });
      readingAgain.set(lookup, own);
      return own;
    };
    const underWay = readingAgain.get(lookup);
    if (!underWay) return begin();
    const next = readingNext.get(lookup) ?? underWay.then(begin, begin);
    readingNext.set(lookup, next);
    return next;
  };

  return {
    async find(lookup, now) {
      const known = remembered.get(lookup);
      const nowMs = now.getTime();
      if (known && known.untilMs > nowMs && known.untilMs <= nowMs + rememberedMs)
        return { key: known.key, isCurrent: false };
      const begun = reading.get(lookup);
      if (begun && begun.since === changes) {
        const key = await begun.answer;
        if (!key || key.boundUntilMs > nowMs) return { key, isCurrent: false };
      }
      const entry = { since: changes, answer: read(lookup, now) };
      reading.set(lookup, entry);
      try {
        return { key: await entry.answer, isCurrent: true };
      } finally {
        if (reading.get(lookup) === entry) reading.delete(lookup);
      }
    },
    findAgain: readAgain,
    stop,
  };
}

// Bindings are read after it: what they say is then never older than the version.
const findByLookup = (lookup: string) => sql`
  select k.id, k.account_sid as "accountSid", k.livemode, k.lookup, k.secret_hash as "secretHash",
    k.signing_secret as "signingSecret", k.scopes, k.allowed_cidrs as "allowedCidrs",
    k.signing_required as "signingRequired", k.requests_per_second as "requestsPerSecond",
    k.disabled_at as "disabledAt", k.expires_at as "expiresAt", v.credentials as version
    from api_keys k join fact_versions v on v.scope = k.account_sid where k.lookup = ${lookup}`;

function toKnownKey(row: Row, bound: Effective, isSuspended: boolean): KnownKey {
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
      suspended: isSuspended && !scopes.has(staffScope),
      sessionId: null,
      version: row.version,
    },
  };
}

/** A range of IPv4 addresses written as IPv6 (::ffff:192.0.2.0/120) is the range of IPv4 addresses it is. */
function readRange(text: string): Range {
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

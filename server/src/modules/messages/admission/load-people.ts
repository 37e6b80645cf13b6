// What the gates must know of people, looked up for many of them at once.
import type { Asked, MergedQueries, TenantTx } from '../../../platform/db/database.ts';
import { accountsOf } from '../../../platform/db/merge.ts';
import { plainArray, sql } from '../../../platform/db/query.ts';
import { type ConsentStanding, consentsOf, consentsOfAudience } from '../../consent/index.ts';
import {
  conversationsOf,
  type OpenWindow,
  type Pair,
  windowsOf,
  windowsOfAudience,
} from '../../conversations/index.ts';
import { type Against, standingAgainst, standingAgainstAudience } from '../gates/standing.ts';

/** What is known of people, each by whoever of us writes to them. */
type People = {
  suppressions: ReadonlyMap<string, readonly Against[]>;
  consents: ReadonlyMap<string, ConsentStanding>;
  windows(pair: Pair): OpenWindow;
  /** Null where nobody asks: no gate does. */
  conversations: Awaited<ReturnType<typeof conversationsOf>> | null;
  caps: ReadonlyMap<string, Date>;
};

export async function loadPeople(t: TenantTx, contactSids: string[], pairs: Pair[]): Promise<People> {
  const [suppressions, consents, windows, conversations, caps] = await Promise.all([
    standingAgainst(t, contactSids),
    consentsOf(t, contactSids),
    windowsOf(t, pairs),
    conversationsOf(t, pairs),
    marketingCaps(t, contactSids),
  ]);
  return { suppressions, consents, windows, conversations, caps };
}

/** The same for a part of an audience. */
export async function loadAudience(t: TenantTx, contactSids: string[]): Promise<People> {
  const [suppressions, consents, windows, caps] = await Promise.all([
    standingAgainstAudience(t, contactSids),
    consentsOfAudience(t, contactSids),
    windowsOfAudience(t, contactSids),
    capsOfAudience(t, contactSids),
  ]);
  return { suppressions, consents, windows, conversations: null, caps };
}

async function marketingCaps(t: TenantTx, contactSids: string[]): Promise<Map<string, Date>> {
  return byContact(await t.merged(findCaps, contactSids));
}

async function capsOfAudience(t: TenantTx, contactSids: string[]): Promise<Map<string, Date>> {
  return byContact(
    await t.many<Cap>(sql`
      select contact_sid as "contactSid", until from marketing_caps
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and until > ${t.now}
         and contact_sid = any (${plainArray(contactSids)}::text[])`),
  );
}

type Cap = { contactSid: string; until: string };

const byContact = (caps: readonly Cap[]) =>
  new Map(caps.map(({ contactSid, until }) => [contactSid, new Date(until)]));

const findCaps = (q: MergedQueries, asked: readonly Asked<string>[]) =>
  q.many<Cap & { accountSid: string }>(sql`
    select cap.account_sid as "accountSid", cap.contact_sid as "contactSid", cap.until
      from unnest(${accountsOf(asked)}::text[], ${asked.map(({ item }) => item)}::text[]) as person (account_sid, contact_sid)
     cross join lateral (
       select * from marketing_caps c
        where c.account_sid = person.account_sid and c.contact_sid = person.contact_sid and c.livemode = ${q.livemode}
          and c.until > ${q.now} limit 1) as cap`);

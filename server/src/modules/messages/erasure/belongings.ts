// What messages keep of a person: who it was, what was said, and what the provider calls it, whose names hold the number.
import {
  type Erased,
  namesPerson,
  type Person,
  type Store,
  type StorePage,
  type Time,
} from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/query.ts';
import { firstSid } from '../../../platform/ids.ts';
import { shortenErrors } from '../states/shorten-errors.ts';
import { copyOfMarketingCaps, copyOfMessages } from './copies.ts';

const own = (t: TenantTx, table: Sql = sql`m`) =>
  sql`${table}.account_sid = ${t.accountSid} and ${table}.livemode = ${t.livemode}`;

// By then whatever was handed over has been answered, or was given up.
const handedOverMs = 24 * 60 * 60 * 1000;

/** Of a message on its way the address is needed once more; it is erased when the person is looked at again. */
const isOver = ({ now }: TenantTx) =>
  sql`(not s.waiting and (s.status <> 'sending' or s.updated_at < ${new Date(now.getTime() - handedOverMs)}))`;

async function eraseMessages(t: TenantTx, { family }: Person, { after, limit }: StorePage): Promise<Erased> {
  // Their states are locked, in the order in which everybody locks them: nobody sends one again meanwhile.
  const rows = await t.many<{ sid: string; over: boolean; gone: boolean }>(sql`
    select m.sid, m.gone, ${isOver(t)} as over
      from (
        select found.sid, found.gone from unnest(${family}::text[]) as person (contact_sid)
         cross join lateral (
           select m.sid, m.address is null as gone from messages m
            where ${own(t)} and m.contact_sid = person.contact_sid and m.sid > ${after ?? ''} order by m.sid limit ${limit}) as found
         order by found.sid limit ${limit}) as m
      join message_states s on s.account_sid = ${t.accountSid} and s.sid = m.sid
     order by m.sid for no key update of s`);
  const left = rows.filter(({ gone, over }) => over && !gone).map(({ sid }) => sid);
  const changed = await t.run(sql`
    update messages m set address = null, content = null, extras = '{}', tags = null,
      content_removed_at = coalesce(m.content_removed_at, ${t.now})
     where ${own(t)} and m.sid = any (${left}::text[]) and m.address is not null`);
  return {
    rows: changed,
    next: rows.length < limit ? null : rows.at(-1)!.sid,
    resources: rows.filter(({ gone, over }) => over || gone).map(({ sid }) => sid),
  };
}

/** Cards, quotes and texts of others in which the person is named. */
const mentionedIn: NonNullable<Store['mentions']> = async (t, person, { after, limit }) => {
  await t.takesUpTo(120);
  const looked = await t.many<{ sid: string; names: boolean }>(sql`
    select m.sid, coalesce(not m.contact_sid = any (${person.family}::text[])
        and ${namesPerson(sql`concat_ws(' ', m.content, m.extras)`, person)}, false) as names
      from messages m where ${own(t)} and m.sid > ${after ?? ''} order by m.sid limit ${limit}`);
  return {
    found: looked.filter(({ names }) => names).map(({ sid }) => ({ resource: 'message', sid })),
    next: looked.length < limit ? null : looked.at(-1)!.sid,
  };
};

/** A SID begins with the moment its message was made at. */
const saidWithin = async (t: TenantTx, { family }: Person, { from, to }: Time): Promise<boolean> =>
  (await t.maybe(sql`
    select from messages m
     where ${own(t)} and m.contact_sid = any (${family}::text[])
       and m.sid >= ${firstSid('SM', from)} and m.sid < ${firstSid('SM', to)} limit 1`)) !== undefined;

const rows = async (changing: Promise<number>) => ({ rows: await changing });

export const messageBelongings: Store[] = [
  {
    name: 'messages',
    copy: copyOfMessages,
    kept: 'That a message was sent or received, when, through which sender and at what price: accounting (GDPR Art. 17(3)(b)).',
    within: saidWithin,
    erase: eraseMessages,
    mentions: mentionedIn,
  },
  { name: 'message_states', forget: (t, sids) => rows(shortenErrors(t, sids)) },
  {
    name: 'message_attempts',
    forget: (t, sids) =>
      rows(
        t.run(sql`
          update message_attempts a set reason = null, provider_message_id = null
           where ${own(t, sql`a`)} and a.message_sid = any (${[...sids]}::text[])
             and coalesce(a.reason, a.provider_message_id) is not null`),
      ),
  },
  {
    name: 'provider_messages',
    forget: (t, sids) =>
      rows(
        t.run(sql`
          delete from provider_messages p where ${own(t, sql`p`)} and p.message_sid = any (${[...sids]}::text[])`),
      ),
  },
  {
    name: 'marketing_caps',
    copy: copyOfMarketingCaps,
    erase: async (t, { family }) => ({
      rows: await t.run(sql`
        delete from marketing_caps c where ${own(t, sql`c`)} and c.contact_sid = any (${family}::text[])`),
      next: null,
    }),
  },
  { name: 'parked_statuses', kept: 'Reports of what was not yet stored: gone by themselves within a day.' },
  { name: 'pair_rates', kept: 'How fast a sender may write to a number: gone by themselves within minutes.' },
];

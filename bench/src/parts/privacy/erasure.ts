// The erasure of a person with very many messages, both looks at every store of it, beside the bare statements that blank the same rows.
import type pg from 'pg';
import { modules } from '../../../../server/src/main/modules.ts';
import type { Person } from '../../../../server/src/platform/belongings.ts';
import { erasePage, firstPlace, type Place as Reached } from '../../../../server/src/platform/erase-page.ts';
import { seedDelivered } from '../../delivered-messages.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { openPlace, type Place } from './place.ts';

export const erasureSize = Number(process.env.BENCH_ERASURE ?? 100_000);
const batch = 1_000;
const dayMs = 86_400_000;

// Whom the messages are for that are written past the service.
const person: Person = {
  contactSid: 'CT',
  family: ['CT'],
  identifiers: [{ identifierType: 'phone_e164', value: '+33600000000', scopeRef: null }],
};

export async function measureErasure(context: Context): Promise<Row[]> {
  const place = await openPlace(context);
  try {
    return await compare(place);
  } finally {
    await place.close();
  }
}

async function compare({ client, newAccount, write }: Place): Promise<Row[]> {
  const bare = await bareSeconds(client, await seed(client, await newAccount()));
  const accountSid = await seed(client, await newAccount());
  const stores = modules.flatMap(({ belongings }) => belongings ?? []);
  const begun = performance.now();
  for (let look = 1; look <= 2; look += 1)
    for (let reached: Reached | null = firstPlace; reached !== null; ) {
      const at: Reached = reached;
      reached = (await write(accountSid, (t) => erasePage(t, stores, person, at, batch))).next;
    }
  const seconds = (performance.now() - begun) / 1000;
  const { rows } = await client.query(
    'select count(*)::integer as left from messages where account_sid = $1 and address is not null',
    [accountSid],
  );
  if (rows[0].left > 0) throw new Error(`${rows[0].left} messages are left`);
  return [
    { ...emptyRow, name: 'bare UPDATE of messages and events', perSecond: erasureSize / bare },
    {
      ...emptyRow,
      name: 'erasure of a person',
      perSecond: erasureSize / seconds,
      ratio: bare / seconds,
      aim: 1 / 3,
    },
  ];
}

/** Each message has three events, an attempt and a name at the provider. */
async function seed(client: pg.Client, accountSid: string): Promise<string> {
  const now = Date.now();
  const time = { from: new Date(now - 60 * dayMs), to: new Date(now - dayMs) };
  await seedDelivered(client, { accountSid, count: erasureSize, ...time });
  const texts = [
    `insert into events (account_sid, livemode, sequence, sid, type, api_version, resource_sid, occurred_at, created_at, data)
     select account_sid, false, 1000000 + row_number() over (), 'EV' || right(sid, 10) || n, 'message.sent', '2026-08-21', sid, created_at, created_at,
       json_build_object('object', 'message', 'sid', sid, 'accountSid', account_sid, 'to', address, 'content', repeat('x', 400))
       from messages cross join generate_series(1, 3) as n where account_sid = $1`,
    `insert into message_attempts (account_sid, livemode, message_sid, number, process_id, started_at, provider_message_id)
     select account_sid, false, sid, 1, gen_random_uuid(), created_at, 'wamid.' || sid from messages where account_sid = $1`,
    `insert into provider_messages (account_sid, livemode, provider_message_id, message_sid)
     select account_sid, false, 'wamid.' || sid, sid from messages where account_sid = $1`,
  ];
  for (const text of texts) await client.query(text, [accountSid]);
  await client.query('analyze events');
  return accountSid;
}

/** The same rows by hand: as many in a transaction, found by their SIDs. */
async function bareSeconds(client: pg.Client, accountSid: string): Promise<number> {
  const begun = performance.now();
  for (let from = ''; ; ) {
    const { rows } = await client.query(
      `select array_agg(sid) as sids from (
         select sid from messages where account_sid = $1 and contact_sid = 'CT' and sid > $2 order by sid limit ${batch}) as batch`,
      [accountSid, from],
    );
    const sids: string[] | null = rows[0].sids;
    if (sids === null) return (performance.now() - begun) / 1000;
    await client.query('begin');
    for (const text of [
      `update messages set address = null, content = null, extras = '{}', tags = null, content_removed_at = now()
        where account_sid = $1 and sid = any ($2)`,
      `update events set data = '{"object":"message","erased":true}' where account_sid = $1 and not livemode and resource_sid = any ($2)`,
      'update message_attempts set reason = null, provider_message_id = null where account_sid = $1 and message_sid = any ($2)',
      'delete from provider_messages where account_sid = $1 and message_sid = any ($2)',
    ])
      await client.query(text, [accountSid, sids]);
    await client.query('commit');
    from = sids.at(-1)!;
  }
}

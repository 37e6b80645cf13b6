// Stores what was sent in one moment, whoever sent it, in one transaction of two round trips: begin and contacts, then
// everything else and the commit.
import pg from 'pg';
import { newSid } from '../../../server/src/platform/ids.ts';

export type Sent = {
  accountSid: string;
  key: string;
  fingerprint: string;
  senderSid: string;
  address: string;
  type: string;
  content: string;
};

const separator = '\u001e';
const priceMinor = 5_000;
const keptMs = 24 * 60 * 60 * 1000;

const contacts = {
  name: 'contacts',
  text: `
    select found.sid from unnest($1::text[], $2::text[]) with ordinality as asked (account_sid, address, position)
     cross join lateral (
      select c.sid from contacts c
       where c.account_sid = asked.account_sid and not c.livemode and c.address = asked.address limit 1) as found
     order by asked.position`,
};

// The heads are locked first and in one order, and nothing else is shared by two accounts: transactions cannot cross.
const store = {
  name: 'store',
  text: `
    with given as materialized (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], string_to_array($10, '${separator}'), string_to_array($11, '${separator}')) with ordinality as g
        (account_sid, key, fingerprint, sid, event_sid, sender_sid, contact_sid, address, type, content, data, position)),
    fresh as (
      insert into idempotency_keys (account_sid, livemode, key, fingerprint, event_sid, expires_at)
      select account_sid, false, key, decode(fingerprint, 'hex'), event_sid, $13 from given order by account_sid, key
      on conflict do nothing returning account_sid, key),
    new as materialized (
      select g.*, row_number() over (partition by g.account_sid order by g.position) as nth
        from given g join fresh using (account_sid, key)),
    sums as (select account_sid, count(*) as many from new group by account_sid),
    heads as (
      insert into event_heads as h (account_sid, livemode, sequence)
      select account_sid, false, many from sums order by account_sid
      on conflict (account_sid, livemode) do update set sequence = h.sequence + excluded.sequence
      returning account_sid, sequence),
    moved as (
      update wallets w
         set available_minor = w.available_minor - sums.many * ${priceMinor},
             held_minor = w.held_minor + sums.many * ${priceMinor}
        from sums join heads using (account_sid)
       where w.account_sid = sums.account_sid and not w.livemode),
    transferred as (
      insert into transfers select account_sid, false, sid, 'hold', ${priceMinor}, $12 from new),
    written as (
      insert into messages
      select account_sid, false, sid, sender_sid, contact_sid, address, type, content::json, 'api_key', $12 from new),
    waiting as (
      insert into message_states
      select account_sid, false, sid, sender_sid, 'queued', true, $12, $12 from new),
    told as (
      insert into events
      select new.account_sid, false, heads.sequence - sums.many + new.nth, new.event_sid, 'message.queued', $12,
        new.data::json
        from new join heads using (account_sid) join sums using (account_sid))
    select account_sid as "accountSid", key from fresh`,
};

const stored = `
  select encode(k.fingerprint, 'hex') as fingerprint, e.data::text as data
    from idempotency_keys k join events e on e.account_sid = k.account_sid and e.sid = k.event_sid
   where k.account_sid = $1 and not k.livemode and k.key = $2`;

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    pipeline: true,
    options: '-c role=bench_tenant -c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  } as pg.ClientConfig);
  await client.connect();
  return client;
}

/** The answer to each, in order; null for a key that was used for something else. */
export async function storeSent(client: pg.Client, sent: Sent[]): Promise<(string | null)[]> {
  const now = new Date();
  const of = <Key extends keyof Sent>(key: Key) => sent.map((one) => one[key]);
  const accountSids = of('accountSid');
  const [, found] = await Promise.all([
    client.query(
      `begin; set local app.accounts = '${[...new Set(accountSids)].join(',')}'; set local app.livemode = 'false'`,
    ),
    client.query<{ sid: string }>({ ...contacts, values: [accountSids, of('address')] }),
  ]);
  const contactSids = found.rows.map(({ sid }) => sid);
  if (contactSids.length < sent.length) throw new Error('somebody written to is no contact');
  const sids = sent.map(() => newSid('SM', now));
  const answers = sent.map((one, at) => answerOf(one, sids[at]!, contactSids[at]!, now));
  const values = [
    accountSids,
    of('key'),
    of('fingerprint'),
    sids,
    sent.map(() => newSid('EV', now)),
    of('senderSid'),
    contactSids,
    of('address'),
    of('type'),
    of('content').join(separator),
    answers.join(separator),
    now,
    new Date(now.getTime() + keptMs),
  ];
  const [fresh] = await Promise.all([
    client.query<{ accountSid: string; key: string }>({ ...store, values }),
    client.query('commit'),
  ]);
  if (fresh.rows.length === sent.length) return answers;
  const isFresh = new Set(fresh.rows.map(({ accountSid, key }) => `${accountSid} ${key}`));
  return Promise.all(
    sent.map((one, at) =>
      isFresh.has(`${one.accountSid} ${one.key}`) ? answers[at]! : replayed(client, one),
    ),
  );
}

function answerOf(sent: Sent, sid: string, contactSid: string, now: Date): string {
  const at = now.toISOString();
  const head = {
    object: 'message',
    sid,
    accountSid: sent.accountSid,
    direction: 'outbound',
    status: 'queued',
  };
  const to = { identifierType: 'phone_e164', value: sent.address, contactSid };
  const estimate = { amountMinor: String(priceMinor), currency: 'USD', scale: 6 };
  const rest = { from: sent.senderSid, to, type: sent.type, estimate, createdAt: at, updatedAt: at };
  return `${JSON.stringify({ ...head, ...rest }).slice(0, -1)},"${sent.type}":${sent.content}}`;
}

async function replayed(client: pg.Client, { accountSid, key, fingerprint }: Sent): Promise<string | null> {
  const [, { rows }] = await Promise.all([
    client.query(`begin; set local app.accounts = '${accountSid}'; set local app.livemode = 'false'`),
    client.query<{ fingerprint: string; data: string }>({
      name: 'stored',
      text: stored,
      values: [accountSid, key],
    }),
    client.query('commit'),
  ]);
  return rows[0]?.fingerprint === fingerprint ? rows[0].data : null;
}

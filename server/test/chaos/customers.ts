// Customers who write to accounts that answer by a workflow, and what must have become of each of them in the end.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { call } from '../process/godwit.ts';
import type { Account } from './load.ts';

const word = 'order';
const texts = ['Which order?', 'We look after it.'];

/**
 * A word brings an answer at once and another a moment later. A first message is sent from the number: the simulator knows
 * none of which nothing came.
 */
export async function openAnswer(apiUrl: string, { accountSid, key, known }: Account): Promise<void> {
  const send = (body: string) => ({ type: 'send_message', message: { type: 'text', text: { body } } });
  const definition = {
    trigger: { eventTypes: ['MESSAGE_RECEIVED'] },
    conditions: [{ path: 'event.text.body', words: [word] }],
    actions: [send(texts[0]!), { type: 'wait', seconds: 1 }, send(texts[1]!)],
  };
  const post = async (path: string, given?: object) => {
    const headers = { 'idempotency-key': randomUUID() };
    const url = `${apiUrl}/v1/accounts/${accountSid}/${path}`;
    const { status, body } = await call(url, { method: 'POST', key, body: given, headers });
    assert.ok(status < 300, JSON.stringify(body));
    return body;
  };
  const { sid } = await post('workflows', { name: 'Orders', definition });
  await post(`workflows/${sid}/publish`);
  const template = { name: 'hello_world', language: 'en' };
  await post('messages', { from: known.senderSid, to: '+33799999999', type: 'template', template });
}

type Customers = {
  numbers: string[];
  perSecond: number;
  /** Lets the simulated provider bring a message. */
  bring(message: { from: string; to: string; text: string }): Promise<unknown>;
};

/** Each writes once, most of them the word, until the deadline; answers with how many wrote it. */
export async function runCustomers(
  { numbers, perSecond, bring }: Customers,
  untilMs: number,
): Promise<number> {
  let asked = 0;
  for (let person = 0; numbers.length > 0 && performance.now() < untilMs; person += 1) {
    const isAsking = person % 5 !== 0;
    const text = isAsking ? `Where is my ${word}?` : 'Good morning';
    const from = `337${10_000_000 + person}`;
    await bring({ from, to: numbers[person % numbers.length]!, text });
    if (isAsking) asked += 1;
    await sleep(1000 / perSecond);
  }
  return asked;
}

type Run = {
  eventSid: string;
  runSid: string | null;
  state: string | null;
  sent: string[];
  messages: { sid: string; status: string }[];
};

/** Every message with the word that came in is one run, and every run sent each of its messages once. Tells how many ran. */
export async function verifyRuns(
  owner: pg.Client,
  handed: { opaque: string }[],
  broken: string[],
): Promise<number> {
  const { rows } = await owner.query<Run>(
    `select coalesce(e.sid, r.event_sid) as "eventSid", r.sid as "runSid", r.state,
       array(select m.content ->> 'body' from messages m
         where m.account_sid = r.account_sid and m.created_by = 'workflow:' || r.sid order by m.created_at, m.sid) as sent,
       coalesce((select json_agg(json_build_object('sid', s.sid, 'status', s.status)) from message_states s
         join messages m using (account_sid, sid)
         where m.account_sid = r.account_sid and m.created_by = 'workflow:' || r.sid), '[]') as messages
       from (select * from events where type = 'message.received' and data -> 'text' ->> 'body' like $1
         and account_sid in (select account_sid from workflows)) as e
       full join workflow_runs r on r.account_sid = e.account_sid and r.event_sid = e.sid`,
    [`%${word}%`],
  );
  if (new Set(rows.map(({ eventSid }) => eventSid)).size !== rows.length)
    broken.push('an event has started two runs');
  const times = Map.groupBy(handed, ({ opaque }) => opaque);
  for (const { eventSid, runSid, state, sent, messages } of rows) {
    if (runSid === null) broken.push(`${eventSid} has started no run`);
    else if (state !== 'COMPLETED') broken.push(`${runSid} is ${state}`);
    else if (sent.join() !== texts.join()) broken.push(`${runSid} has sent: ${sent.join(', ')}`);
    for (const { sid, status } of messages)
      if (['sent', 'delivered', 'read'].includes(status) && !times.has(sid))
        broken.push(`${sid} of ${runSid} is ${status} and was never handed over`);
  }
  return rows.filter(({ runSid }) => runSid !== null).length;
}

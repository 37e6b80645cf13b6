// How soon the service wakes up: little happens, one thing at a time, and each is timed from the moment its cause was
// answered until its effect is seen by somebody outside.
import { createHmac, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { existingSealer } from '../../../server/src/main/process/master-key.ts';
import { simulatorSecrets } from '../../../server/src/main/process/simulator-secrets.ts';
import { freePort } from '../free-port.ts';
import { type Context, emptyRow, type Part, type Row } from '../part.ts';
import type { Godwit } from '../stage.ts';
import { makeAccount, quantile } from './webhooks-data.ts';

const fewestTurns = 50;
const turnsPerSecond = 12;
// An operation is a job: it is followed in one turn of so many.
const operationEvery = 4;

export const wake: Part = {
  name: 'wake',
  description: 'at rest, how soon a send, a callback and an operation show their effects',
  async run(context) {
    const rows = await wakeUps(context, '');
    if (context.against !== null) {
      await context.stage.clear();
      rows.push(...(await wakeUps(context, ', the other checkout', context.against)));
    }
    return rows;
  },
};

const nowMs = () => performance.timeOrigin + performance.now();

async function wakeUps(context: Context, suffix: string, checkout?: string): Promise<Row[]> {
  const scene = await setScene(context, checkout);
  const waits = {
    webhook: [] as number[],
    provider: [] as number[],
    callback: [] as number[],
    stream: [] as number[],
  };
  try {
    context.say('one thing at a time');
    const turns = Math.max(fewestTurns, Math.round(context.seconds * turnsPerSecond));
    const sentAt = new Map<string, number>();
    // The first of everything also opens connections and makes plans.
    for (let turn = -3; turn < turns; turn += 1) {
      const counts = turn >= 0;
      const sent = await scene.send(turn);
      if (counts) waits.webhook.push(sent.arrivedMs - sent.answeredMs);
      if (counts) sentAt.set(sent.sid, sent.answeredMs);
      await pause();
      const called = await scene.callBack(turn);
      if (counts) waits.callback.push(called.arrivedMs - called.answeredMs);
      await pause();
      const isFollowed = turn % operationEvery === 0;
      const streamMs = isFollowed ? await scene.followOperation() : null;
      if (counts && streamMs !== null) waits.stream.push(streamMs);
    }
    for (const { opaque, atMs } of await scene.handedOver()) {
      const answeredMs = sentAt.get(opaque);
      if (answeredMs !== undefined) waits.provider.push(atMs - answeredMs);
    }
  } finally {
    scene.close();
  }
  return [
    rowOf(`send answered to webhook${suffix}`, waits.webhook),
    rowOf(`send answered to provider${suffix}`, waits.provider),
    rowOf(`callback answered to webhook${suffix}`, waits.callback),
    rowOf(`operation ended to its stream${suffix}`, waits.stream),
  ];
}

/** Of any length, so that nothing happens in step with a timer of the service. */
const pause = () => sleep(20 + Math.random() * 130);

function rowOf(name: string, waits: number[]): Row {
  const sorted = waits.toSorted((a, b) => a - b);
  return { ...emptyRow, name, perSecond: 0, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

type Arrived = { type: string; data: { sid: string } };

async function setScene(context: Context, checkout?: string) {
  const simulatorPort = await freePort();
  const godwit = await context.stage.startGodwit({
    role: 'all',
    env: { ALLOW_PRIVATE_WEBHOOKS: 'true', SIMULATOR_PORT: String(simulatorPort) },
    ...(checkout !== undefined && { checkout }),
  });
  const control = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${simulatorPort}/_control/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  // The provider reports nothing by itself: what is timed is alone.
  await control('PATCH', 'settings', { pairLimit: false, duplicateCallbacks: 0, reorderCallbacks: 0 });
  await control('POST', 'rules', { behaviour: { statuses: [] } });
  const { receiver, arrived } = await openReceiver();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const { accountSid, sandboxKey, sender, appSecret } = await prepare(context, godwit, url);

  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await fetch(`${godwit.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await answer.text();
    const answeredMs = nowMs();
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
    return { answeredMs, text };
  };
  const asOwner = (path: string, body: object) =>
    post(
      `/v1/accounts/${accountSid}/${path}`,
      { authorization: `Bearer ${sandboxKey}`, 'idempotency-key': randomUUID() },
      JSON.stringify(body),
    );

  return {
    async send(turn: number) {
      // Heard from before the request: the webhook may be faster than the answer.
      const arrival = arrived('message.queued');
      const answer = await asOwner('messages', messageTo(sender.sid, turn));
      const { sid } = JSON.parse(answer.text) as { sid: string };
      return { sid, answeredMs: answer.answeredMs, arrivedMs: await arrival };
    },
    async callBack(turn: number) {
      const arrival = arrived('message.received');
      const body = JSON.stringify(inboundFrom(sender.id, turn));
      const signature = createHmac('sha256', appSecret).update(body).digest('hex');
      const headers = { 'x-hub-signature-256': `sha256=${signature}` };
      const { answeredMs } = await post('/provider/callbacks/sandbox', headers, body);
      return { answeredMs, arrivedMs: await arrival };
    },
    /** Milliseconds from the end of an operation until its stream told of it. */
    async followOperation(): Promise<number> {
      const { text } = await asOwner('contacts/export', { format: 'csv' });
      const { sid } = JSON.parse(text) as { sid: string };
      const stream = await fetch(`${godwit.url}/v1/accounts/${accountSid}/operations/${sid}/events`, {
        headers: { authorization: `Bearer ${sandboxKey}` },
      });
      let heard = '';
      for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
        heard += piece;
        const finished = /"finishedAt":"([^"]+)"/.exec(heard);
        if (finished) return nowMs() - Date.parse(finished[1]!);
      }
      throw new Error(`the stream ended before the operation: ${heard}`);
    },
    async handedOver() {
      const answer = await control('GET', 'messages?after=0&limit=1000');
      return ((await answer.json()) as { data: { opaque: string; atMs: number }[] }).data;
    },
    close() {
      receiver.close();
      receiver.closeAllConnections();
    },
  };
}

/** An account with a webhook, its first sender, and the secret the provider signs with. */
async function prepare(context: Context, godwit: Godwit, url: string) {
  const client = new pg.Client({ connectionString: godwit.databaseUrl });
  await client.connect();
  try {
    const account = await makeAccount({ context, godwit, client, receiver: godwit }, [{ url, cap: 8 }]);
    const { rows } = await client.query<{ sid: string; id: string }>(
      'select sid, provider_phone_number_id as id from senders where account_sid = $1 and not livemode order by sid',
      [account.accountSid],
    );
    const sealer = await existingSealer(null, godwit.dataDir);
    return { ...account, sender: rows[0]!, appSecret: simulatorSecrets(sealer).appSecret };
  } finally {
    await client.end();
  }
}

/** A receiver in this process, which tells when an event of a type arrived. */
async function openReceiver() {
  const heard = new EventEmitter();
  const receiver = createServer(async (request, response) => {
    const arrivedMs = nowMs();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    response.end();
    heard.emit((JSON.parse(Buffer.concat(pieces).toString()) as Arrived).type, arrivedMs);
  });
  receiver.keepAliveTimeout = 60_000;
  receiver.listen(0, '127.0.0.1').unref();
  await once(receiver, 'listening');
  const limitMs = 30_000;
  const arrived = async (type: string): Promise<number> =>
    (await once(heard, type, { signal: AbortSignal.timeout(limitMs) }))[0];
  return { receiver, arrived };
}

const messageTo = (senderSid: string, turn: number) => ({
  from: senderSid,
  to: `+3361${String(2_000_000 + turn)}`,
  type: 'template',
  template: { name: 'hello_world', language: 'en' },
});

const inboundFrom = (phoneNumberId: string, turn: number) => {
  const from = '33612003400';
  const timestamp = String(Math.floor(nowMs() / 1000));
  const message = { from, id: `wamid.WAKE${turn + 1_000}`, timestamp, type: 'text', text: { body: 'Hello' } };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '33180001000', phone_number_id: phoneNumberId },
    contacts: [{ profile: { name: 'Ines' }, wa_id: from }],
    messages: [message],
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: '104000200030001', changes: [{ field: 'messages', value }] }],
  };
};

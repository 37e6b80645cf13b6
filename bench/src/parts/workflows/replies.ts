// How soon a workflow answers: from the commit of what somebody wrote to the moment its reply can be read, at half of what runs with
// one send reach.
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveMessages } from '../../../../server/src/modules/messages/index.ts';
import type { InboundMessage, Routed } from '../../../../server/src/modules/provider/index.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { type Account, openPlace, type Place } from './place.ts';
import { accountCount, greeting, runAll } from './runs.ts';

const people = 250;
const tickMs = 25;
const lookMs = 5;
const lostAfterMs = 30_000;
const mostP99Ms = 300;

export async function measureReplies(context: Context): Promise<Row[]> {
  const place = await openPlace(context, { accounts: accountCount, people });
  try {
    for (const account of place.accounts) {
      await place.publish(account, 'CUSTOM_SEND', [greeting(account)]);
      const message = { type: 'text', text: { body: 'Hello {{contact.displayName|there}}' } };
      await place.publish(account, 'MESSAGE_RECEIVED', [{ type: 'send_message', message }]);
    }
    context.say('finding out what full load is');
    await runAll(place, 'CUSTOM_SEND', people);
    const full = await runAll(place, 'CUSTOM_SEND', people);
    return [await repliesAt(context, place, full.perSecond / 2)];
  } finally {
    await place.close();
  }
}

async function repliesAt(context: Context, place: Place, perSecond: number): Promise<Row> {
  context.say(`people write, ${Math.round(perSecond)} a second`);
  const storedAtMs = new Map<string, number>();
  const waits: number[] = [];
  const startMs = performance.now();
  let wrote = 0;
  let writing = true;
  const watching = (async () => {
    for (let lastMs = performance.now(); writing || waits.length < wrote; ) {
      const seen = waits.length;
      for (const { address } of await recentReplies(place)) {
        const storedMs = storedAtMs.get(address);
        if (storedMs === undefined) continue;
        waits.push(performance.now() - storedMs);
        storedAtMs.delete(address);
      }
      if (waits.length > seen) lastMs = performance.now();
      if (!writing && performance.now() - lastMs > lostAfterMs) return;
      await sleep(lookMs);
    }
  })();
  for (let turn = 0; performance.now() - startMs < context.seconds * 1000; turn += 1) {
    const owed = Math.floor(((performance.now() - startMs) / 1000) * perSecond) - wrote;
    const phones = Array.from({ length: owed }, (_, at) => `3377${String(1_000_000 + wrote + at)}`);
    wrote += owed;
    if (owed > 0) await hear(place, place.accounts[turn % accountCount]!, phones);
    for (const phone of phones) storedAtMs.set(`+${phone}`, performance.now());
    await sleep(tickMs);
  }
  const seconds = (performance.now() - startMs) / 1000;
  writing = false;
  await watching;
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? null;
  const lost = wrote - waits.length;
  return {
    ...emptyRow,
    name: `inbound stored to reply stored, at half load (${Math.round(perSecond)}/s)`,
    perSecond: wrote / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    mostP99Ms,
    errors: lost,
    firstError: lost === 0 ? null : `${lost} of ${wrote} were not answered`,
  };
}

const recentReplies = async ({ client }: Place) =>
  (
    await client.query<{ address: string }>(
      `select address from messages where direction = 'outbound' and created_at > now() - interval '5 seconds'
         and address like '+3377%'`,
    )
  ).rows;

let heard = 0;

/** Stores what they wrote in one commit. */
async function hear(place: Place, account: Account, phones: string[]): Promise<void> {
  await place.write(account, (t) => {
    const items = phones.map((waId): Routed<InboundMessage> => {
      heard += 1;
      return {
        providerMessageId: `wamid.bench.${heard}`,
        occurredAt: t.now,
        from: { waId, bsuid: null, parentBsuid: null, profileName: 'Ines', username: null },
        content: { type: 'text', body: 'Hello' },
        replyTo: null,
        forwarded: 'no',
        referredProduct: null,
        referral: null,
        senderSid: account.senderSid,
        wabaSid: null,
      };
    });
    return receiveMessages(t, items);
  });
}

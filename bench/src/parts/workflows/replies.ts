// How soon a workflow answers: from the commit of what somebody wrote to the moment its reply can be read, at half of the load at which
// answers no longer keep up.
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveMessages } from '../../../../server/src/modules/messages/index.ts';
import type { InboundMessage, Routed } from '../../../../server/src/modules/provider/index.ts';
import { newSid } from '../../../../server/src/platform/ids.ts';
import { type Context, emptyRow, type Row } from '../../part.ts';
import { median } from '../billing/median.ts';
import { type Account, openPlace, type Place } from './place.ts';
import { accountCount } from './runs.ts';

/** How many of each account write at once where full load is looked for, and how often they do. */
const people = 250;
const tides = 4;
const tickMs = 25;
const lookMs = 5;
const lostAfterMs = 30_000;
const mostP99Ms = 300;

export async function measureReplies(context: Context): Promise<Row[]> {
  const place = await openPlace(context, { accounts: accountCount, people: 1 });
  try {
    for (const account of place.accounts) {
      const message = { type: 'text', text: { body: 'Hello {{contact.displayName|there}}' } };
      await place.publish(account, 'MESSAGE_RECEIVED', [{ type: 'send_message', message }]);
    }
    context.say('finding out what full load is');
    const rates: number[] = [];
    for (let tide = 0; tide <= tides; tide += 1) rates.push(await fullLoad(place));
    return [await repliesAt(context, place, median(rates.slice(1)) / 2)];
  } finally {
    await place.close();
  }
}

/** How many are answered in a second when many more write than can be answered. */
async function fullLoad(place: Place): Promise<number> {
  const replies = watchReplies(place);
  const startMs = performance.now();
  await Promise.all(place.accounts.map((account) => replies.hear(account, people)));
  const waits = await replies.all();
  return (waits.length * 1000) / (performance.now() - startMs);
}

async function repliesAt(context: Context, place: Place, perSecond: number): Promise<Row> {
  context.say(`people write, ${Math.round(perSecond)} a second`);
  const replies = watchReplies(place);
  const startMs = performance.now();
  let wrote = 0;
  for (let turn = 0; performance.now() - startMs < context.seconds * 1000; turn += 1) {
    const owed = Math.floor(((performance.now() - startMs) / 1000) * perSecond) - wrote;
    wrote += owed;
    if (owed > 0) await replies.hear(place.accounts[turn % accountCount]!, owed);
    await sleep(tickMs);
  }
  const seconds = (performance.now() - startMs) / 1000;
  const waits = (await replies.all()).sort((a, b) => a - b);
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

type Unanswered = { beganAtMs: number; storedMs: number };

/** Has people write, each for the first time, and looks for what they are answered until all are, or nothing comes any more. */
function watchReplies(place: Place) {
  const unanswered = new Map<string, Unanswered>();
  const waits: number[] = [];
  let hearing = true;
  const watching = (async () => {
    for (let lastMs = performance.now(); hearing || unanswered.size > 0; await sleep(lookMs)) {
      // Nothing is answered before it was begun to be stored: this finds every reply, and few that were seen already.
      const beganAtMs = Math.min(...Array.from(unanswered.values(), (one) => one.beganAtMs));
      const replies = unanswered.size > 0 ? await repliesSince(place, new Date(beganAtMs)) : [];
      for (const { address } of replies) {
        const one = unanswered.get(address);
        if (!one) continue;
        waits.push(performance.now() - one.storedMs);
        unanswered.delete(address);
        lastMs = performance.now();
      }
      if (!hearing && performance.now() - lastMs > lostAfterMs) return;
    }
  })();
  return {
    async hear(account: Account, many: number): Promise<void> {
      const beganAtMs = Date.now();
      const phones = Array.from({ length: many }, nextPhone);
      await hear(place, account, phones);
      const storedMs = performance.now();
      for (const phone of phones) unanswered.set(`+${phone}`, { beganAtMs, storedMs });
    },
    /** How long each waited, in no order. */
    async all(): Promise<number[]> {
      hearing = false;
      await watching;
      return waits;
    },
  };
}

// SIDs begin with their time, and are found by it without looking at what is older.
const repliesSince = async ({ client, accounts }: Place, since: Date) =>
  (
    await client.query<{ address: string }>(
      `select address from messages where account_sid = any ($1) and sid > $2 and direction = 'outbound'`,
      [accounts.map(({ accountSid }) => accountSid), newSid('SM', new Date(since.getTime() - 1))],
    )
  ).rows;

let wroteEver = 0;
const nextPhone = () => {
  wroteEver += 1;
  return `3377${String(1_000_000 + wroteEver)}`;
};

/** Stores what they wrote in one commit. */
async function hear(place: Place, account: Account, phones: string[]): Promise<void> {
  await place.write(account, (t) => {
    const items = phones.map(
      (waId): Routed<InboundMessage> => ({
        providerMessageId: `wamid.bench.${waId}`,
        occurredAt: t.now,
        from: { waId, bsuid: null, parentBsuid: null, profileName: 'Ines', username: null },
        content: { type: 'text', body: 'Hello' },
        replyTo: null,
        forwarded: 'no',
        referredProduct: null,
        referral: null,
        senderSid: account.senderSid,
        wabaSid: null,
      }),
    );
    return receiveMessages(t, items);
  });
}

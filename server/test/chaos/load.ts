// A client that does what clients should: every send has a key, and is repeated with it until it is answered.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export type Load = {
  /** The message each key was answered with. */
  acknowledged: Map<string, string>;
  keys: number;
  repeats: number;
  /** Answers that were neither a success nor worth repeating. */
  refusals: string[];
  /** Keys answered with more than one message. */
  doubled: string[];
};

export type Account = {
  accountSid: string;
  key: string;
  senderSids: string[];
  /** The sender that customers write to, and its digits. */
  known: { senderSid: string; number: string };
};
type Sender = { apiUrl: string; accounts: Account[]; perSecond: number };

/** As many at once as there are accounts, so that requests of many meet; some where there are few. */
const clientsFor = (accounts: number) => Math.min(64, Math.max(8, accounts));
const answerMs = 10_000;
const mostTries = 60;

/** Sends at a steady rate until the deadline, then until every send has its answer. */
export async function runLoad({ apiUrl, accounts, perSecond }: Sender, untilMs: number): Promise<Load> {
  const load: Load = { acknowledged: new Map(), keys: 0, repeats: 0, refusals: [], doubled: [] };
  const clients = clientsFor(accounts.length);
  let person = 0;
  const send = async (): Promise<void> => {
    const { accountSid, key, senderSids } = accounts[load.keys % accounts.length]!;
    const idempotencyKey = randomUUID();
    load.keys += 1;
    person += 1;
    const body = JSON.stringify({
      from: senderSids[person % senderSids.length],
      to: `+336${String(10_000_000 + person)}`,
      type: 'template',
      template: { name: 'hello_world', language: 'en' },
    });
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`${apiUrl}/v1/accounts/${accountSid}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body,
        signal: AbortSignal.timeout(answerMs),
      })
        .then(async (reply) => ({ status: reply.status, text: await reply.text() }))
        .catch(() => null);
      if (answer?.status === 201) {
        const { sid } = JSON.parse(answer.text);
        const known = load.acknowledged.get(idempotencyKey);
        if (known !== undefined && known !== sid) load.doubled.push(idempotencyKey);
        load.acknowledged.set(idempotencyKey, sid);
        // Some clients do not believe their answer and ask again.
        if (tries > 0 || person % 20 !== 0) return;
      } else if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429) {
        load.refusals.push(answer.text);
        return;
      }
      if (tries === mostTries) {
        load.refusals.push(answer?.text ?? 'no answer');
        return;
      }
      load.repeats += 1;
      await sleep(100 + 200 * Math.min(tries, 10));
    }
  };
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const begunMs = performance.now();
      await send();
      await sleep(Math.max(0, (clients * 1000) / perSecond - (performance.now() - begunMs)));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return load;
}

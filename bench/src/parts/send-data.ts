// What sends are measured with: accounts that have senders and know people, and the requests they make.
import pg from 'pg';
import { type Account, accountsFor } from '../accounts.ts';
import { requestText } from '../request-text.ts';
import type { Godwit } from '../stage.ts';

export const inBatch = 500;

// Known to the account before anything counts: to write to a stranger is to make a contact, which is measured elsewhere.
// Where very many accounts send in turns each needs fewer.
export const manyPeople = 1_000;
const fewPeople = 20;
const accountsOfMany = 8;

export type Outlet = Account & { senderSid: string; people: number };

export async function prepareOutlets(godwit: Godwit, count: number): Promise<Outlet[]> {
  const accounts = await accountsFor(godwit, count);
  // A business that writes to thousands a second has no limit on whom it may write to in a day.
  await query(godwit.databaseUrl, "update portfolios set messaging_limit = 'TIER_UNLIMITED'");
  const outlets: Outlet[] = [];
  for (const [at, account] of accounts.entries()) {
    const answer = await fetch(`${godwit.url}/v1/accounts/${account.sid}/senders`, {
      headers: { authorization: `Bearer ${account.key}` },
    });
    if (!answer.ok) throw new Error(`senders could not be read: ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: { sid: string }[] };
    const people = at < accountsOfMany ? manyPeople : fewPeople;
    const outlet = { ...account, senderSid: data[0]!.sid, people };
    for (let from = 0; from < people; from += inBatch)
      await greet(godwit.url, outlet, from, Math.min(inBatch, people));
    outlets.push(outlet);
  }
  await query(godwit.databaseUrl, 'analyze');
  return outlets;
}

export const messageTo = ({ senderSid, people }: Pick<Outlet, 'senderSid' | 'people'>, person: number) => ({
  from: senderSid,
  to: `+3361${String(person % people).padStart(7, '0')}`,
  type: 'template',
  template: {
    name: 'order_update',
    language: 'en',
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', parameterName: 'first_name', text: 'Ines' },
          { type: 'text', parameterName: 'order', text: `A-${person}` },
        ],
      },
    ],
  },
});

export const batchTo = (outlet: Outlet, turn: number) => messagesFrom(outlet, turn * inBatch, inBatch);

const messagesFrom = (outlet: Outlet, from: number, many: number) => ({
  messages: Array.from({ length: many }, (_, at) => messageTo(outlet, from + at)),
});

let last = 0;

/** Each with a key and a person of its own, the accounts in turns. */
export function posts(
  outlets: Outlet[],
  path: string,
  bodyFor: (outlet: Outlet, turn: number) => object,
): () => string {
  return () => {
    last += 1;
    const outlet = outlets[last % outlets.length]!;
    return requestText(
      'POST',
      `/v1/accounts/${outlet.sid}/${path}`,
      { authorization: `Bearer ${outlet.key}`, 'idempotency-key': `bench-${last}` },
      JSON.stringify(bodyFor(outlet, Math.floor(last / outlets.length))),
    );
  };
}

async function greet(url: string, outlet: Outlet, from: number, many: number): Promise<void> {
  const answer = await fetch(`${url}/v1/accounts/${outlet.sid}/messages/batch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${outlet.key}`,
      'content-type': 'application/json',
      'idempotency-key': `greet-${from}`,
    },
    body: JSON.stringify(messagesFrom(outlet, from, many)),
  });
  const { accepted } = (await answer.json()) as { accepted: number };
  if (accepted !== many) throw new Error('people could not be written to');
}

async function query(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}

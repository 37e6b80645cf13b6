// What a send costs: credentials, idempotency, every gate, the money set aside and the event, all of it on disk before the
// answer. Beside it the bare framework judging the same body, and the same service with one transaction per request.
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type Account, makeAccounts } from '../accounts.ts';
import type { Part } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario } from '../rounds.ts';
import type { Godwit } from '../stage.ts';

const accountCount = 8;
// Known to the account before anything counts: to write to a stranger is to make a contact, which is measured elsewhere.
const peoplePerAccount = 1_000;
const inBatch = 500;

// What the project aims for, as parts of the bare echo.
const leastSendRatio = 0.4;

const bareServer = fileURLToPath(new URL('../bare-server.ts', import.meta.url));

type Outlet = Account & { senderSid: string };

export const send: Part = {
  name: 'send',
  description: 'messages accepted per second, beside the bare framework and one transaction per request',
  async run(context) {
    const { stage, say } = context;
    say('preparing accounts');
    const together = await stage.startGodwit();
    const alone = await stage.startGodwit({ env: { REQUESTS_TOGETHER: '1' } });
    const outlets = await findOutlets(together, await makeAccounts(together, accountCount));
    const lonely = await findOutlets(alone, await makeAccounts(alone, accountCount));
    for (const { databaseUrl } of [together, alone]) await query(databaseUrl, 'analyze');
    const bare = await stage.startScript(bareServer);
    const echo = requestText('POST', '/echo-message', {}, JSON.stringify(messageTo(outlets[0]!, 0)));
    const reference = 'bare echo (POST, judged)';
    const scenarios: Scenario[] = [
      { name: reference, server: bare, next: () => echo, expect: 200 },
      {
        name: 'send',
        server: together,
        next: posts(outlets, 'messages', messageTo),
        expect: 201,
        aim: leastSendRatio,
      },
      {
        name: 'send, one account',
        server: together,
        next: posts([outlets[0]!], 'messages', messageTo),
        expect: 201,
      },
      {
        name: 'send, one transaction each',
        server: alone,
        next: posts(lonely, 'messages', messageTo),
        expect: 201,
      },
      {
        name: 'preflight',
        server: together,
        next: posts(outlets, 'messages/preflight', messageTo),
        expect: 200,
      },
      {
        name: `batches of ${inBatch} (batches/s)`,
        server: together,
        next: posts(outlets, 'messages/batch', batchTo),
        expect: 200,
        connections: 4,
      },
    ];
    const { only } = context;
    const wanted = scenarios.filter(
      ({ name }) => name === reference || only.length === 0 || only.some((word) => name.includes(word)),
    );
    return measureInTurns(
      context,
      wanted.map((scenario) =>
        scenario.name === reference ? scenario : { ...scenario, comparedWith: reference },
      ),
    );
  },
};

const messageTo = ({ senderSid }: Outlet, person: number) => ({
  from: senderSid,
  to: `+3361${String(person % peoplePerAccount).padStart(7, '0')}`,
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

const batchTo = (outlet: Outlet, from: number) => ({
  messages: Array.from({ length: inBatch }, (_, at) => messageTo(outlet, from * inBatch + at)),
});

let last = 0;

/** Each with a key and a person of its own, the accounts in turns. */
function posts(
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
      JSON.stringify(bodyFor(outlet, last)),
    );
  };
}

async function findOutlets({ url, databaseUrl }: Godwit, accounts: Account[]): Promise<Outlet[]> {
  // A business that writes to thousands a second has no limit on whom it may write to in a day.
  await query(databaseUrl, "update portfolios set messaging_limit = 'TIER_UNLIMITED'");
  const outlets: Outlet[] = [];
  for (const account of accounts) {
    const answer = await fetch(`${url}/v1/accounts/${account.sid}/senders`, {
      headers: { authorization: `Bearer ${account.key}` },
    });
    if (!answer.ok) throw new Error(`senders could not be read: ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: { sid: string }[] };
    const outlet = { ...account, senderSid: data[0]!.sid };
    for (let at = 0; at < peoplePerAccount / inBatch; at += 1) await greet(url, outlet, at);
    outlets.push(outlet);
  }
  return outlets;
}

async function greet(url: string, outlet: Outlet, turn: number): Promise<void> {
  const answer = await fetch(`${url}/v1/accounts/${outlet.sid}/messages/batch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${outlet.key}`,
      'content-type': 'application/json',
      'idempotency-key': `greet-${turn}`,
    },
    body: JSON.stringify(batchTo(outlet, turn)),
  });
  const { accepted } = (await answer.json()) as { accepted: number };
  if (accepted !== inBatch) throw new Error('people could not be written to');
}

async function query(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}

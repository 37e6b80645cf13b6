// What a request costs beside the bare framework: an authenticated read of one row, and an authenticated, idempotent
// write with its event and its link in the audit chain.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '../../../server/src/modules/authorizations/routes.ts';
import { type Account, accountsFor } from '../accounts.ts';
import type { Context, Part } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario } from '../rounds.ts';
import { type Godwit, ownCheckout } from '../stage.ts';

// So many that no single account, key or row is all that is ever asked for.
const accountCount = 50;
const rowsPerAccount = 20;

// The project's aim: what a request needs beyond the framework costs about as much again, and no more.
const leastReadRatio = 0.45;

const minimumServer = fileURLToPath(new URL('../minimum/read-server.ts', import.meta.url));
const bareServer = fileURLToPath(new URL('../bare-server.ts', import.meta.url));
const body = JSON.stringify(operations.find(({ id }) => id === 'createAuthorization')!.example);

export const http: Part = {
  name: 'http',
  description: 'requests per second: reads and writes of the API beside the bare framework',
  async run(context) {
    const { stage, say, against } = context;
    say('preparing accounts and rows');
    const services = await Promise.all(
      [ownCheckout, ...(against ? [against] : [])].map(async (checkout) => {
        const godwit = await stage.startGodwit({ checkout });
        return { godwit, ...(await prepare(godwit)) };
      }),
    );
    const bare = await stage.startScript(bareServer, { ANSWER: services[0]!.answer });
    const bareScenarios: Scenario[] = [
      {
        name: 'bare echo (POST, judged)',
        server: bare,
        next: () => echo,
        expect: 200,
      },
      { name: 'bare answer (GET, fixed)', server: bare, next: () => fixed, expect: 200 },
    ];
    const { godwit, reads } = services[0]!;
    const minimum = await stage.startScript(minimumServer, { DATABASE_URL: godwit.databaseUrl });
    bareScenarios.push({
      name: 'read one row, by hand',
      server: minimum,
      next: inTurns(reads),
      expect: 200,
    });
    const scenarios = services.flatMap(({ godwit, accounts, reads }, i) =>
      serviceScenarios(godwit, accounts, reads, i === 0 ? '' : ' [against]'),
    );
    return measureInTurns(context, wanted(context, bareScenarios, scenarios));
  },
};

const echo = requestText('POST', '/echo', {}, body);
const fixed = requestText('GET', '/fixed');

/** The bare echo always runs: the others are told in parts of it. */
function wanted({ only }: Context, [reference, ...bare]: Scenario[], scenarios: Scenario[]): Scenario[] {
  const rest = [...bare, ...scenarios].filter(
    ({ name }) => only.length === 0 || only.some((word) => name.includes(word)),
  );
  return [reference!, ...rest.map((scenario) => ({ ...scenario, comparedWith: reference!.name }))];
}

function serviceScenarios(godwit: Godwit, accounts: Account[], reads: string[], suffix: string): Scenario[] {
  const read = inTurns(reads);
  return [
    { name: `read one row${suffix}`, server: godwit, next: read, expect: 200, aim: leastReadRatio },
    {
      name: `write, ${accountCount} accounts${suffix}`,
      server: godwit,
      next: writes(accounts),
      expect: 201,
    },
    { name: `write, one account${suffix}`, server: godwit, next: writes([accounts[0]!]), expect: 201 },
  ];
}

function inTurns<T>(items: T[]): () => T {
  let at = 0;
  return () => {
    at = (at + 1) % items.length;
    return items[at]!;
  };
}

let lastKey = 0;

/** Each with a key never used before; everything else stands ready. */
function writes(accounts: Account[]): () => string {
  const mark = 'KEY';
  const pieces = accounts.map(({ sid, key }) =>
    requestText(
      'POST',
      `/v1/accounts/${sid}/authorizations`,
      { authorization: `Bearer ${key}`, 'idempotency-key': mark },
      body,
    ).split(mark),
  );
  const next = inTurns(pieces);
  return () => {
    const [head, tail] = next();
    lastKey += 1;
    return `${head}bench-${lastKey}${tail}`;
  };
}

/** Accounts with keys, rows to read, and one answer as it looks. */
async function prepare(godwit: Godwit) {
  const accounts = await accountsFor(godwit, accountCount);
  const reads: string[] = [];
  let answer = '';
  for (let row = 0; row < rowsPerAccount; row += 1) {
    const answers = await Promise.all(accounts.map((account) => createRow(godwit, account, row)));
    answer = answers[0]!;
    answers.forEach((text, i) => {
      const { sid, key } = accounts[i]!;
      const path = `/v1/accounts/${sid}/authorizations/${JSON.parse(text).id}`;
      reads.push(requestText('GET', path, { authorization: `Bearer ${key}` }));
    });
  }
  return { accounts, reads, answer };
}

async function createRow({ port }: Godwit, { sid, key }: Account, row: number): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/accounts/${sid}/authorizations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `row-${row}`,
      },
      body,
    });
    const text = await answer.text();
    if (answer.status === 201) return text;
    // A service just started may be short of connections for a moment; the key makes it safe to ask again.
    if (answer.status !== 503 || tries === 10)
      throw new Error(`a row could not be prepared: ${answer.status} ${text}`);
    await sleep(tries * 200);
  }
}

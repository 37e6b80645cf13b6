// What a send costs: credentials, idempotency, every gate, the money set aside and the event, all of it on disk before the
// answer. Beside it the bare framework judging the same body, the least it takes to store the same by hand, and the same
// service with one transaction per request.
import { fileURLToPath } from 'node:url';
import type { Context, Part } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario, wantedScenarios } from '../rounds.ts';
import type { Program } from '../stage.ts';
import { batchTo, inBatch, manyPeople, messageTo, type Outlet, posts, prepareOutlets } from './send-data.ts';

// What most rows are measured with.
const someAccounts = 8;
const manyConnections = 256;

// What the project aims for: parts of the bare echo, and processor time beside that of the hand-written minimum.
const leastRatio = 0.2;
const leastRatioOfMany = 0.25;
const mostOfMinimum = 2.5;

const script = (path: string) => fileURLToPath(new URL(path, import.meta.url));

type Service = { server: Program; outlets: Outlet[]; suffix: string };

export const send: Part = {
  name: 'send',
  description:
    'messages accepted, beside the bare framework, the least that stores the same, one transaction each',
  async run(context) {
    const { stage, say, against } = context;
    const most = Math.max(someAccounts, ...context.accounts);
    const bare = await stage.startScript(script('../bare-server.ts'));
    const minimum = await stage.startScript(script('../minimum/server.ts'), {
      DATABASE_URL: await stage.newDatabase(),
      ACCOUNTS: String(most),
      PEOPLE: String(manyPeople),
    });
    const start = async (suffix: string, count: number, options: Parameters<typeof stage.startGodwit>[0]) => {
      say(`preparing ${count} accounts${suffix}`);
      const server = await stage.startGodwit(options);
      return { server, outlets: await prepareOutlets(server, count), suffix };
    };
    const services: Service[] = [
      await start('', most, {}),
      ...(against ? [await start(' [against]', most, { checkout: against })] : []),
    ];
    const isWanted = context.only.length === 0 || context.only.some((word) => apart.includes(word));
    const alone = isWanted
      ? [await start(`, ${apart}`, someAccounts, { env: { REQUESTS_TOGETHER: '1' } })]
      : [];
    const scenarios = [
      ...references(bare, minimum, context),
      ...services.flatMap((service) => rowsOf(service, context)),
      ...alone.map((service) => sends(apart, service, someAccounts, { comparedWith: echo })),
    ];
    return measureInTurns(context, wantedScenarios(context.only, scenarios));
  },
};

const apart = 'send, one transaction each';
const echo = 'bare echo (POST, judged)';
const echoOfMany = `${echo}, ${manyConnections} connections`;
const least = (accounts: string) => `minimum, ${accounts}`;
const accountsIn = (count: number) => (count === 1 ? '1 account' : `${count} accounts`);
const ofMany = `${someAccounts} accounts, ${manyConnections} connections`;

/** So that about as many accounts send at a time as are asked for. */
const connectionsFor = ({ connections }: Context, count: number) =>
  Math.max(connections, Math.min(manyConnections, count));

function references(bare: Program, minimum: Program, context: Context): Scenario[] {
  const text = requestText('POST', '/echo-message', {}, JSON.stringify(messageTo(stranger, 0)));
  const echoed = { server: bare, next: () => text, expect: 200 };
  const outlets = Array.from({ length: Math.max(someAccounts, ...context.accounts) }, (_, at) => ({
    sid: `AC${String(at).padStart(26, '0')}`,
    key: 'none',
    ...stranger,
  }));
  const written = { server: minimum, outlets, suffix: '' };
  return [
    { name: echo, ...echoed },
    { name: echoOfMany, ...echoed, connections: manyConnections },
    ...context.accounts.map((count) =>
      sends(least(accountsIn(count)), written, count, {
        comparedWith: echo,
        connections: connectionsFor(context, count),
      }),
    ),
    sends(least(ofMany), written, someAccounts, { comparedWith: echoOfMany, connections: manyConnections }),
  ];
}

const stranger = { senderSid: 'WA00000000000000000000000000', people: manyPeople };

function rowsOf(service: Service, context: Context): Scenario[] {
  const { server, suffix } = service;
  const some = service.outlets.slice(0, someAccounts);
  return [
    ...context.accounts.map((count) =>
      sends(`send, ${accountsIn(count)}${suffix}`, service, count, {
        comparedWith: echo,
        minimum: least(accountsIn(count)),
        connections: connectionsFor(context, count),
        aim: leastRatio,
        mostOfMinimum,
      }),
    ),
    sends(`send, ${ofMany}${suffix}`, service, someAccounts, {
      comparedWith: echoOfMany,
      minimum: least(ofMany),
      connections: manyConnections,
      aim: leastRatioOfMany,
      mostOfMinimum,
    }),
    {
      name: `messages/batch, ${inBatch} in each, by message${suffix}`,
      server,
      next: posts(some, 'messages/batch', batchTo),
      expect: 200,
      connections: 4,
      each: inBatch,
      comparedWith: echo,
    },
    {
      name: `preflight${suffix}`,
      server,
      next: posts(some, 'messages/preflight', messageTo),
      expect: 200,
      comparedWith: echo,
    },
  ];
}

const sends = (
  name: string,
  { server, outlets }: Service,
  count: number,
  rest: Partial<Scenario>,
): Scenario => ({
  name,
  server,
  next: posts(outlets.slice(0, count), 'messages', messageTo),
  expect: 201,
  ...rest,
});

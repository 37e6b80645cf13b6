// `npm run bench`: what the service can do on this machine, beside what the framework alone can do on it.
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Part, Row } from './part.ts';
import { analytics } from './parts/analytics.ts';
import { billing } from './parts/billing/billing.ts';
import { callbacks } from './parts/callbacks.ts';
import { campaigns } from './parts/campaigns.ts';
import { consoleInBrowser } from './parts/console/console.ts';
import { contacts } from './parts/contacts.ts';
import { dispatch } from './parts/dispatch.ts';
import { http } from './parts/http.ts';
import { idle } from './parts/idle.ts';
import { imports } from './parts/import.ts';
import { media } from './parts/media.ts';
import { migrate } from './parts/migrate.ts';
import { notifications } from './parts/notifications.ts';
import { optIn } from './parts/opt-in.ts';
import { privacy } from './parts/privacy/privacy.ts';
import { reconciliation } from './parts/reconciliation.ts';
import { send } from './parts/send.ts';
import { wake } from './parts/wake.ts';
import { webhooks } from './parts/webhooks.ts';
import { workflows } from './parts/workflows/workflows.ts';
import { writes } from './parts/writes.ts';
import { openStage } from './stage.ts';
import { complaints, table } from './table.ts';

// Each takes a moment to make.
const mostAccounts = 2_000;

const parts: Part[] = [
  http,
  writes,
  contacts,
  imports,
  callbacks,
  send,
  dispatch,
  media,
  optIn,
  billing,
  reconciliation,
  privacy,
  webhooks,
  workflows,
  analytics,
  campaigns,
  notifications,
  migrate,
  consoleInBrowser,
  wake,
  idle,
];

const help = `Usage: npm run bench -- [options] [part ...]

Measures the service as its users would meet it: a process of its own, over HTTP, on a PostgreSQL that waits for its
disk. Rows are measured in turns and told as medians, so the ratios hold even where the machine is noisy.

Parts (default: all)
${parts.map(({ name, description }) => `  ${name.padEnd(20)}${description}`).join('\n')}

Options
  --seconds N         how long each row is measured (8)
  --connections N     connections, each with one request in flight (64)
  --accounts N,M      send: how many accounts send at once, a row for each number (1,8,64,512)
  --only WORD         only rows whose name holds the word; may be repeated
  --against DIR       another checkout, measured in the same rounds (http, writes, send, dispatch, webhooks)
  --statements        tell what each statement costs, in a round of its own that does not count (send, http, writes, dispatch, workflows)
  --profile DIR       leave the CPU profiles of the measured processes there
  --help              this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '64' },
    accounts: { type: 'string', default: '1,8,64,512' },
    only: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
    profile: { type: 'string' },
    statements: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(help);
else process.exitCode = await bench(chosenParts(positionals));

function chosenParts(names: string[]): Part[] {
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0)
    refuse(`There is no part "${unknown[0]}". Parts: ${parts.map(({ name }) => name).join(', ')}.`);
  return names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name));
}

function positive(option: 'seconds' | 'connections'): number {
  const value = Number(values[option]);
  if (!(value > 0)) refuse(`--${option} must be a number above 0.`);
  return value;
}

function accountNumbers(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (!numbers.every((number) => Number.isInteger(number) && number > 0 && number <= mostAccounts))
    refuse(`--accounts must be numbers from 1 to ${mostAccounts}, with commas between them.`);
  return numbers;
}

function refuse(reason: string): never {
  process.stderr.write(`bench: ${reason}\n`);
  process.exit(2);
}

async function bench(chosen: Part[]): Promise<number> {
  const settings = {
    seconds: positive('seconds'),
    connections: positive('connections'),
    accounts: accountNumbers(values.accounts),
    only: values.only,
    against: values.against === undefined ? null : resolve(values.against),
    say: (text: string) => void process.stderr.write(`${text}\n`),
  };
  const profileDir = values.profile === undefined ? null : resolve(values.profile);
  const ended = hearEnd(settings.say);
  const stage = await openStage({ profileDir, statements: values.statements });
  try {
    const rows: Row[] = [];
    for (const part of chosen) {
      const found = await Promise.race([part.run({ ...settings, stage }), ended]);
      if (typeof found === 'number') return found;
      rows.push(...found);
      await stage.clear();
    }
    const problems = complaints(rows);
    const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'CPU'}, Node ${process.versions.node}`;
    const facts = `${machine}, ${settings.connections} connections, ${settings.seconds} s a row`;
    process.stdout.write(`\n${[facts, '', table(rows), ...problems].join('\n')}\n`);
    return problems.length > 0 ? 1 : 0;
  } finally {
    await stage.close();
  }
}

/**
 * Tells the exit code when the run must end early. Heard before the stage opens and obeyed once it stands, so that
 * nothing half-started stays behind; what breaks while it is taken down, such as a connection, is no news.
 */
function hearEnd(say: (text: string) => void): Promise<number> {
  let ending = false;
  return new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (ending) process.exit(130);
        ending = true;
        say('stopping, and cleaning up');
        end(130);
      });
    }
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        if (ending) return;
        ending = true;
        say(`an error nobody caught: ${error instanceof Error ? error.stack : error}`);
        end(1);
      });
    }
  });
}

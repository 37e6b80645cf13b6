// `npm run chaos`: kills everything at random under load and tells what came of it.
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const help = `npm run chaos -- [options]

Sends, receives and delivers while processes and PostgreSQL are killed at random, then looks whether anything was lost or doubled.

  --seconds N      how long (150)
  --per-second N   how many sends a second (60)
  --accounts N     how many accounts send (2)
  --seed N         what is killed when; without it, another time each run
  --help           this page
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seconds: { type: 'string', default: '150' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    'per-second': { type: 'string', default: '60' },
    accounts: { type: 'string', default: '2' },
  },
});

if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const endings: (() => Promise<void>)[] = [];
const lifetime = { after: (work: () => Promise<void>) => void endings.push(work) };
try {
  const report = await runChaos(lifetime, {
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    perSecond: Number(values['per-second']),
    accounts: Number(values.accounts),
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  const told = { ...report, broken: [report.broken.length, ...report.broken.slice(0, 20)] };
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  process.exitCode = report.broken.length === 0 ? 0 : 1;
} finally {
  for (const end of endings.reverse()) await end();
}

// The provider's callbacks: how many are stored and acknowledged in a second, beside a route that only checks their
// signature; and how fast a worker applies them meanwhile.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openCore } from '../../../server/src/main/process/core.ts';
import { bootstrap } from '../../../server/src/main/process/demo.ts';
import { simulatorSecrets } from '../../../server/src/main/process/simulator-secrets.ts';
import { readConfig } from '../../../server/src/main/settings.ts';
import { systemClock } from '../../../server/src/platform/clock.ts';
import { silentLog } from '../../../server/src/platform/observability/logging.ts';
import type { Part } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario } from '../rounds.ts';
import type { Godwit } from '../stage.ts';

const bareServer = fileURLToPath(new URL('../bare-callbacks.ts', import.meta.url));
const path = '/provider/callbacks/sandbox';
const accountCount = 10;

export const callbacks: Part = {
  name: 'callbacks',
  description: "the provider's callbacks per second: stored and acknowledged, and applied by a worker",
  async run(context) {
    const { stage, say } = context;
    say('preparing accounts');
    // Both on one key, so that the same callbacks prove themselves to both.
    const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), SIMULATOR_PORT: '0' };
    const api = await stage.startGodwit({ env });
    const whole = await stage.startGodwit({ role: 'all', env });
    const { secret, numbers } = await prepare(whole, env);
    const bare = await stage.startScript(bareServer, { APP_SECRET: secret });
    const reference = 'bare route, signature only';
    const next = statuses(secret, numbers);
    const scenarios: Scenario[] = [
      { name: reference, server: bare, next, expect: 200 },
      { name: 'callback stored', server: api, next, expect: 200, comparedWith: reference },
      { name: 'callback stored, worker beside', server: whole, next, expect: 200, comparedWith: reference },
    ];
    const rows = await measureInTurns(context, scenarios);
    await tellBehind(whole, say);
    return rows;
  },
};

/** A status of a message that each is told once; half of what the provider sends is such. */
function statuses(secret: string, numbers: string[]): () => string {
  let count = 0;
  return () => {
    count += 1;
    const status = {
      id: `wamid.HBgLMzM2MTIwMDM0MDAVAgARGBI1RkE5QjQwMEMw${count}`,
      status: 'delivered',
      timestamp: String(Math.floor(systemClock.now().getTime() / 1000)),
      recipient_id: '33612003400',
      recipient_user_id: 'FR.48120077310552911',
      biz_opaque_callback_data: `SM${String(count).padStart(26, '0')}`,
      pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
    };
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '33180001000', phone_number_id: numbers[count % numbers.length] },
      contacts: [{ profile: { name: 'Ines' }, wa_id: '33612003400', user_id: 'FR.48120077310552911' }],
      statuses: [status],
    };
    const entry = [{ id: '104000200030001', changes: [{ field: 'messages', value }] }];
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return requestText('POST', path, { 'x-hub-signature-256': `sha256=${signature}` }, body);
  };
}

async function prepare({ dataDir, databaseUrl }: Godwit, env: Record<string, string>) {
  const core = await openCore(readConfig({ DATA_DIR: dataDir, ...env }), databaseUrl, silentLog);
  const context = { database: core.database, clock: systemClock, log: silentLog };
  for (let i = 0; i < accountCount; i += 1) {
    await bootstrap(context, { organizationName: 'Bench', accountName: `Bench ${i}`, region: 'local' });
  }
  const secret = simulatorSecrets(core.sealer).appSecret;
  await core.database.close();
  const rows = await query<{ id: string }>(
    databaseUrl,
    'select provider_phone_number_id as id from senders where not livemode',
  );
  return { secret, numbers: rows.map(({ id }) => id) };
}

/** Tells whether the worker kept pace: how many were left when the load ended, and how soon they were done. */
async function tellBehind({ databaseUrl }: Godwit, say: (text: string) => void): Promise<void> {
  const waiting = async () => {
    const text = "select count(*)::int as due from provider_callback_work where state = 'due'";
    return (await query<{ due: number }>(databaseUrl, text))[0]!.due;
  };
  const endedAt = performance.now();
  const first = await waiting();
  while ((await waiting()) > 0) await sleep(20);
  const ms = Math.round(performance.now() - endedAt);
  say(`the worker was ${first} callbacks behind when the load ended, and done ${ms} ms later`);
}

async function query<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

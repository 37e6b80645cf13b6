// The payment service's webhooks: stored and acknowledged, beside a bare route that verifies the same signature and inserts the same row.
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openCore } from '../../../../server/src/main/process/core.ts';
import { paymentSimulatorSecrets } from '../../../../server/src/main/process/simulator-secrets.ts';
import { readConfig } from '../../../../server/src/main/settings.ts';
import { firstSid } from '../../../../server/src/platform/ids.ts';
import { silentLog } from '../../../../server/src/platform/observability/logging.ts';
import type { Context, Row } from '../../part.ts';
import { requestText } from '../../request-text.ts';
import { measureInTurns } from '../../rounds.ts';

const bareServer = fileURLToPath(new URL('../../minimum/payment-webhooks.ts', import.meta.url));
const path = '/payments/callbacks/sandbox';
const mostOfBare = 1.3;

export async function measureWebhooks(context: Context): Promise<Row[]> {
  const { stage } = context;
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  const godwit = await stage.startGodwit({ env });
  const core = await openCore(
    readConfig({ DATA_DIR: godwit.dataDir, ...env }),
    godwit.databaseUrl,
    silentLog,
  );
  const secret = paymentSimulatorSecrets(core.sealer).webhookSecrets[0]!;
  await core.database.close();
  const bare = await stage.startScript(bareServer, {
    WEBHOOK_SECRET: secret,
    DATABASE_URL: await stage.newDatabase(),
  });
  const name = 'bare route, verifies and inserts';
  const next = events(secret);
  return measureInTurns(context, [
    { name, server: bare, next, expect: 200 },
    {
      name: 'payment webhook stored',
      server: godwit,
      next,
      expect: 200,
      comparedWith: name,
      minimum: name,
      mostOfMinimum: mostOfBare,
    },
  ]);
}

/** Payments that succeeded, each told once, with as much around them as the payment service says. */
function events(secret: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    const now = Math.floor(Date.now() / 1000);
    const number = String(count).padStart(14, '0');
    const payment = {
      id: `pi_${number}`,
      object: 'payment_intent',
      amount: 5000,
      amount_received: 5000,
      currency: 'usd',
      customer: 'cus_00000000000001',
      description: 'Top-up',
      latest_charge: `ch_${number}`,
      livemode: false,
      metadata: {
        godwit_account: firstSid('AC', new Date(0)),
        godwit_intent: '01890000-0000-7000-8000-000000000000',
      },
      payment_method: `pm_${number}`,
      payment_method_types: ['card'],
      status: 'succeeded',
    };
    const body = JSON.stringify({
      id: `evt_${number}`,
      object: 'event',
      api_version: '2026-06-24',
      created: now,
      livemode: false,
      pending_webhooks: 1,
      type: 'payment_intent.succeeded',
      data: { object: payment },
    });
    const signature = createHmac('sha256', secret).update(`${now}.${body}`).digest('hex');
    return requestText('POST', path, { 'stripe-signature': `t=${now},v1=${signature}` }, body);
  };
}

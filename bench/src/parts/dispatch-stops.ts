// People who write STOP while everything is being handed over as fast as it goes: from the callback to their suppression.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { simulatorSecrets } from '../../../server/src/main/process/simulator-secrets.ts';
import type { Sealer } from '../../../server/src/platform/sealing.ts';
import { emptyRow, type Row } from '../part.ts';

/** What of the running service the stops need. */
type Scene = {
  sealer: Sealer;
  pool: { query<R extends object>(text: string): Promise<{ rows: R[] }> };
  service: { url: string };
};

const stops = 150;
const everyMs = 20;
const lookMs = 10;

export async function timeStops(scene: Scene): Promise<Row> {
  const { appSecret } = simulatorSecrets(scene.sealer);
  const { rows: senders } = await scene.pool.query<{ id: string }>(
    'select provider_phone_number_id as id from senders where not livemode order by sid',
  );
  const sentAtMs = new Map<string, number>();
  const waits: number[] = [];
  const stop = async (n: number) => {
    const from = `3377${String(1_000_000 + n)}`;
    const body = JSON.stringify(stopOf(from, senders[n % senders.length]!.id));
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    sentAtMs.set(`+${from}`, performance.now());
    await fetch(`${scene.service.url}/provider/callbacks/sandbox`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
    });
  };
  const watch = async () => {
    while (waits.length < stops) {
      const { rows } = await scene.pool.query<{ value: string }>(
        `select i.value from suppressions s join contact_identifiers i using (account_sid, contact_sid)
          where s.reason = 'KEYWORD_OPT_OUT' and i.value like '+3377%'`,
      );
      for (const { value } of rows) {
        const atMs = sentAtMs.get(value);
        if (atMs === undefined) continue;
        waits.push(performance.now() - atMs);
        sentAtMs.delete(value);
      }
      await sleep(lookMs);
    }
  };
  const watching = watch();
  const beganMs = performance.now();
  for (let n = 0; n < stops; n += 1) {
    await Promise.all([stop(n), sleep(everyMs)]);
  }
  await watching;
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? null;
  const perSecond = (stops * 1000) / (performance.now() - beganMs);
  return {
    ...emptyRow,
    name: 'STOP meanwhile, callback to suppression',
    perSecond,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

const stopOf = (from: string, phoneNumberId: string) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '1', phone_number_id: phoneNumberId },
            contacts: [{ profile: { name: 'Ines' }, wa_id: from }],
            messages: [
              {
                from,
                id: `wamid.stop.${from}`,
                timestamp: String(Math.floor(Date.now() / 1000)),
                type: 'text',
                text: { body: 'STOP' },
              },
            ],
          },
        },
      ],
    },
  ],
});

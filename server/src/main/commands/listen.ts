// `godwit listen`: follows the events of a sandbox and posts them, signed, to a program on this machine. Only requests
// that leave this machine are needed, so it works behind any firewall.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret, signatureOf } from '../../modules/webhooks/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { ConfigError } from '../../platform/config.ts';
import { type Client, createClient } from '../../platform/outbound/outbound.ts';
import { type ApiClient, openApi } from './api-client.ts';
import { reasonOf } from './reason.ts';

export type ListenOptions = {
  baseUrl: string;
  key: string;
  forwardTo: string;
  /** An exact name, `prefix.*` or `*`. */
  events: string;
  /** Replays from this number on; without it only what is new comes. */
  fromSequence: number | null;
  dataDir: string;
  print(line: string): void;
  signal: AbortSignal;
};

type Event = { object: string; id: string; type: string; apiVersion: string; sequence: number };
type Page = { data: Event[]; hasMore: boolean; nextCursor: string | null };

const pageSize = 100;
const restMs = 500;
const forwardTimeoutMs = 30_000;

export async function listen(options: ListenOptions): Promise<void> {
  const { print, signal, events, forwardTo } = options;
  // Both ends may be this machine, which is what the command is for.
  const client = createClient({ allowPrivate: true });
  try {
    const api = await openApi(client, options);
    if (api.livemode)
      throw new ConfigError('Only a sandbox can be listened to. Give a key that begins gw_test_.');
    const secret = await ownSecret(options);
    let after = options.fromSequence === null ? await lastSequence(api) : options.fromSequence - 1;
    print(
      `Forwarding ${events === '*' ? 'all events' : events} of ${api.accountSid} to ${forwardTo}. Ctrl-C ends it.`,
    );
    while (!signal.aborted) {
      try {
        // Known before the log is read: all up to here is read then, also what is of another type and never shown.
        const head = await lastSequence(api);
        const fresh = head > after ? eventsAfter(api, events, after) : [];
        for await (const event of fresh) {
          if (signal.aborted) return;
          print(await forward(client, forwardTo, secret, event));
          after = event.sequence;
        }
        after = Math.max(after, head);
      } catch (error) {
        // A service that is away for a moment is waited for: nothing is missed meanwhile.
        if (error instanceof ConfigError) throw error;
        print(`Waiting for the service: ${reasonOf(error)}`);
      }
      await sleep(restMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    await client.close();
  }
}

/** Page by page to the end of the log. One of a rare type may have few events or none, and others behind it. */
async function* eventsAfter(api: ApiClient, type: string, after: number): AsyncGenerator<Event> {
  const query = new URLSearchParams({
    sort: 'sequence',
    afterSequence: String(after),
    limit: String(pageSize),
    type,
  });
  for (let hasMore = true; hasMore; ) {
    const page = await api.get<Page>(`/events?${query}`);
    yield* page.data;
    hasMore = page.hasMore;
    if (page.nextCursor !== null) query.set('cursor', page.nextCursor);
  }
}

async function lastSequence(api: ApiClient): Promise<number> {
  const { data } = await api.get<Page>('/events?limit=1');
  return data[0]?.sequence ?? 0;
}

/** The same at every start, so that the receiving program is configured once. */
async function ownSecret({ dataDir, print }: ListenOptions): Promise<string> {
  const file = join(dataDir, 'listen-secret');
  const known = await readFile(file, 'utf8').catch(() => null);
  if (known) return known.trim();
  const secret = newSecret();
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  print(`Signing secret, shown this once and kept in ${file}:`);
  print(`  ${secret}`);
  return secret;
}

async function forward(client: Client, url: string, secret: string, event: Event): Promise<string> {
  const { object: _, ...envelope } = event;
  const body = Buffer.from(JSON.stringify(envelope));
  const result = await client.request({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signatureOf(body, [secret], systemClock.now()),
      'x-service-event-id': event.id,
      'x-service-delivery-id': `listen-${event.sequence}`,
      'x-service-api-version': event.apiVersion,
    },
    body,
    timeoutMs: forwardTimeoutMs,
  });
  const outcome = result.ok ? String(result.status) : result.reason;
  return `${String(event.sequence).padStart(6)}  ${event.type.padEnd(26)} ${event.id}  ${outcome}  ${Math.round(result.durationMs)} ms`;
}

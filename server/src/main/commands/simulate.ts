// `godwit simulate`: what a customer does, and what the simulated provider has seen, through its control API.
import { styleText } from 'node:util';
import { ConfigError } from '../../platform/config.ts';
import { createClient } from '../../platform/outbound/outbound.ts';
import { simulatorPort } from '../process/core.ts';
import type { Config } from '../settings.ts';

export type Customer = { from: string; to: string };
export type Inbound = Customer & {
  type: string;
  text?: string;
  name?: string;
  replyTo?: string;
  content?: unknown;
};

// biome-ignore lint/suspicious/noExplicitAny: the control API's answers are printed, not relied on
type Answer = any;

export async function simulateInbound(address: string, { replyTo, ...inbound }: Inbound): Promise<string> {
  const context = replyTo === undefined ? {} : { context: { id: replyTo } };
  const { id } = await ask(address, 'POST', 'inbound', { ...inbound, ...context });
  return `${inbound.from} wrote to ${inbound.to}: ${inbound.type} ${styleText('dim', id)}`;
}

export async function simulatePreference(
  address: string,
  input: Customer & { value: string },
): Promise<string> {
  await ask(address, 'POST', 'preferences', input);
  return input.value === 'stop'
    ? `${input.from} receives no more marketing messages.`
    : `${input.from} receives marketing messages again.`;
}

export async function simulatorStatus(address: string): Promise<string> {
  const { accepted, repeatedOpaque, refusals, statuses, callbacks, scheduled } = await ask(
    address,
    'GET',
    'counts',
  );
  const { data: numbers } = await ask(address, 'GET', 'phone-numbers');
  const counted = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const rows: [string, string][] = [
    ['Simulator', address],
    [
      'Accepted',
      `${accepted}${repeatedOpaque > 0 ? ` (${repeatedOpaque} with a reference seen before)` : ''}`,
    ],
    ['Refused', counted(refusals)],
    ['Statuses', counted(statuses)],
    ['Callbacks', `${callbacks.bodies} sent, ${callbacks.failures} not taken, ${scheduled} to come`],
    ['Numbers', numbers.length === 0 ? 'none known yet: each is known from its first call on' : ''],
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(11)}${value}`);
  return [
    ...lines,
    ...numbers.map(
      ({ id, number, verifiedName, status }: Answer) => `  +${number}  ${id}  ${status}  ${verifiedName}`,
    ),
  ].join('\n');
}

export async function simulatorSettings(address: string, change: object): Promise<string> {
  const settings =
    Object.keys(change).length > 0
      ? await ask(address, 'PATCH', 'settings', change)
      : await ask(address, 'GET', 'settings');
  return Object.entries(settings)
    .map(([name, value]) => `${name.padEnd(22)}${value}`)
    .join('\n');
}

export async function simulatedMessages(address: string, opaque: string | undefined): Promise<string> {
  const query = opaque === undefined ? '?limit=10000' : `?opaque=${encodeURIComponent(opaque)}`;
  const { data } = await ask(address, 'GET', `messages${query}`);
  if (data.length === 0) return 'Nothing was accepted.';
  return data
    .map(({ id, waId, type, opaque: reference, events }: Answer) => {
      const last = events.at(-1)?.status ?? 'accepted';
      return `${waId.padEnd(16)}${type.padEnd(12)}${last.padEnd(10)}${reference ?? '-'}  ${styleText('dim', id)}`;
    })
    .join('\n');
}

export const simulatorAddress = (config: Config, given: string | undefined): string =>
  (given ?? config.simulatorUrl ?? `http://127.0.0.1:${simulatorPort(config)}`).replace(/\/+$/, '');

async function ask(
  address: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<Answer> {
  const client = createClient({ allowPrivate: true });
  const result = await client.request({
    url: `${address}/_control/${path}`,
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    timeoutMs: 10_000,
    maxResponseBytes: 64 * 1024 * 1024,
  });
  await client.close();
  if (!result.ok) {
    throw new ConfigError(
      `No simulator answers at ${address}. Start it with "godwit start", or say where it is with --url or SIMULATOR_URL.`,
    );
  }
  const answer = readJson(result.body);
  if (result.status === 200 && answer) return answer;
  throw new ConfigError(answer?.error?.message ?? `${address} does not speak as the simulator does.`);
}

function readJson(bytes: Buffer): Answer {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null; // something else listens there
  }
}

// A simulator for a test, somebody who receives its callbacks, and short ways to call it.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Wire } from '../src/http/shape.ts';
import { exactCallbacks, type SimulatorOptions, sandboxToken, startSimulator } from '../src/index.ts';

export type Lifetime = { after(work: () => Promise<void>): void };
export type Answer = { status: number; headers: Headers; body: Wire; text: string };
export type Received = { headers: IncomingHttpHeaders; text: string; body: Wire };

export const appSecret = 'app-secret';
export const verifyToken = 'verify-token';
export const numberId = '106000300040005';
export const wabaId = '104000200030001';
export const businessNumber = '33180001000';
export const customer = '33612003400';

export const portfolio = {
  businessId: '200000000000001',
  wabaId,
  phoneNumbers: [{ id: numberId, number: businessNumber, name: 'Depot' }],
};
export const token = sandboxToken(portfolio);

/** A clock that stands still until it is moved. */
export function stillClock(start = '2026-08-21T10:00:00.000Z') {
  let ms = Date.parse(start);
  return {
    now: () => new Date(ms),
    set(at: string) {
      ms = Date.parse(at);
    },
  };
}

/** Takes callbacks, and refuses as many as it is told to. */
export async function startReceiver(lifetime: Lifetime) {
  const received: Received[] = [];
  const state = { refusals: 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://receiver');
    if (request.method === 'GET') {
      const known = url.searchParams.get('hub.verify_token') === verifyToken;
      response.statusCode = known ? 200 : 403;
      response.end(known ? url.searchParams.get('hub.challenge') : '');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (state.refusals > 0) {
        state.refusals -= 1;
        response.statusCode = 503;
        response.end();
        return;
      }
      const text = Buffer.concat(chunks).toString('latin1');
      received.push({ headers: request.headers, text, body: JSON.parse(text) });
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  lifetime.after(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`;
  return { url, received, state };
}

export type Kit = Awaited<ReturnType<typeof startKit>>;

export async function startKit(lifetime: Lifetime, options: Partial<SimulatorOptions> = {}) {
  const receiver = await startReceiver(lifetime);
  const simulator = await startSimulator({
    port: 0,
    appSecret,
    verifyToken,
    callbackUrl: receiver.url,
    seed: 'seed',
    clock: stillClock(),
    instant: true,
    ...options,
    settings: { ...exactCallbacks, ...options.settings },
  });
  lifetime.after(() => simulator.stop());
  const { control } = simulator;
  if (options.settings === undefined) control.configure({ throughputLimit: false, pairLimit: false });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: object = {},
  ): Promise<Answer> => {
    const raw = typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array;
    const answer = await fetch(simulator.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
  };
  const send = (message: object, to = `+${customer}`) =>
    call('POST', `/v25.0/${numberId}/messages`, { messaging_product: 'whatsapp', to, ...message });

  return {
    simulator,
    control,
    receiver,
    call,
    send,
    /** The first call makes the account known. */
    known: () => call('GET', `/v25.0/${numberId}`),
    /** Opens the window in which anything may be sent. */
    openWindow: async (from = customer) => {
      await call('GET', `/v25.0/${numberId}`);
      await control.inbound({ from, to: numberId, text: 'Hello' });
      await control.settle();
      receiver.received.length = 0;
    },
    /** The statuses received so far, in order. */
    statuses: async (): Promise<Wire[]> => {
      await control.settle();
      return valuesOf(receiver.received).flatMap((value) => value.statuses ?? []);
    },
    values: async (): Promise<Wire[]> => {
      await control.settle();
      return valuesOf(receiver.received);
    },
  };
}

const valuesOf = (received: Received[]): Wire[] =>
  received.flatMap(({ body }) =>
    body.entry.flatMap((entry: Wire) => entry.changes.map((change: Wire) => change.value)),
  );

export const signatureOf = (text: string) =>
  `sha256=${createHmac('sha256', appSecret).update(text, 'latin1').digest('hex')}`;

export const text = (body = 'Hello') => ({ type: 'text', text: { body } });
export const hello = { type: 'template', template: { name: 'hello_world', language: { code: 'en' } } };
/** A marketing template. */
export const offer = {
  type: 'template',
  template: {
    name: 'spring_offer',
    language: { code: 'en' },
    components: [
      { type: 'body', parameters: ['Ines', '20%'].map((value) => ({ type: 'text', text: value })) },
    ],
  },
};
export { sandboxCatalogId } from '../src/index.ts';
export { sampleMessages } from './sample-messages.ts';

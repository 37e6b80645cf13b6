// Callbacks on their way: gathered per address, put into signed bodies, tried again when refused. Under load several
// updates share a body, as the provider's do; at rest each has its own.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { wireJson } from '../http/wire-json.ts';
import type { Settings } from '../settings.ts';
import type { Timeline } from '../timeline.ts';
import { buildBody, type Update } from './callback-body.ts';
import { createInFlight } from './in-flight.ts';
import { post } from './post.ts';
import { createRing, type Ring } from './ring.ts';

export type SentCallback = {
  sequence: number;
  atMs: number;
  url: string;
  updates: number;
  attempt: number;
  /** The answer's HTTP status; 0 when there was none, null while it is awaited. */
  status: number | null;
  body: string;
};

export type Callbacks = {
  send(url: string, update: Update): void;
  /** Resolves once nothing is on its way. What waits for its next try does not count. */
  idle(): Promise<void>;
  isIdle(): boolean;
  record: Ring<SentCallback>;
  counts: { bodies: number; updates: number; failures: number; givenUp: number };
  stop(): Promise<void>;
};

type Options = {
  appSecret: string;
  settings: Settings;
  timeline: Timeline;
  log: (level: 'info' | 'warn', message: string, facts?: object) => void;
};

// At once, then less and less often, for 36 hours.
const retriesMs = [0, 5e3, 30e3, 120e3, 600e3, 1800e3, 3600e3, 7200e3, 14400e3, 28800e3, 36000e3, 36000e3];
// Past this many updates waiting for one address the newest is dropped, and counted: a receiver that is away for hours
// must not fill the memory.
const mostWaiting = 500_000;

type Lane = { url: string; waiting: Update[]; busy: number };
type Body = { url: string; text: string; updates: number; onAnswer: ((ok: boolean) => void)[] };

export function createCallbacks({ appSecret, settings, timeline, log }: Options): Callbacks {
  const agent = new Agent({ pipelining: 1, connections: 64 });
  const lanes = new Map<string, Lane>();
  const record = createRing<SentCallback>({
    most: 20_000,
    mostBytes: 64 * 1024 * 1024,
    bytesOf: ({ body }) => body.length,
  });
  const counts = { bodies: 0, updates: 0, failures: 0, givenUp: 0 };
  const { fly, idle, isIdle } = createInFlight();
  let stopped = false;

  const attempt = async (body: Body, nth: number): Promise<void> => {
    counts.bodies += 1;
    const entry: SentCallback = {
      sequence: counts.bodies,
      atMs: timeline.nowMs(),
      url: body.url,
      updates: body.updates,
      attempt: nth,
      status: null,
      body: body.text,
    };
    record.add(entry);
    entry.status = await deliver(body);
    const ok = entry.status === 200;
    for (const tell of body.onAnswer) tell(ok);
    if (ok || stopped) return;
    counts.failures += 1;
    if (nth === 1) log('warn', 'a callback was not taken', { url: body.url, status: entry.status });
    const delayMs = retriesMs[nth - 1];
    if (delayMs === undefined) {
      counts.givenUp += body.updates;
      return;
    }
    if (delayMs === 0) return attempt(body, nth + 1);
    timeline.after(delayMs, () => void fly(() => attempt(body, nth + 1)), { lasting: true });
  };

  const deliver = ({ url, text }: Body): Promise<number> => {
    const signature = createHmac('sha256', appSecret).update(text).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return post(agent, { url, headers, text, timeoutMs: settings.callbackTimeoutMs });
  };

  const pump = (lane: Lane) => {
    while (lane.waiting.length > 0 && lane.busy < settings.callbackConcurrency && !stopped) {
      // An idle lane sends one update a body; one that falls behind shares what waits among its senders.
      const share = Math.ceil(lane.waiting.length / settings.callbackConcurrency);
      const updates = lane.waiting.splice(0, Math.min(share, settings.callbackBatch));
      counts.updates += updates.length;
      const body: Body = {
        url: lane.url,
        text: wireJson(buildBody(updates)),
        updates: updates.length,
        onAnswer: updates.flatMap(({ onAnswer }) => onAnswer ?? []),
      };
      lane.busy += 1;
      void fly(async () => {
        await attempt(body, 1);
        lane.busy -= 1;
        pump(lane);
      });
    }
  };

  return {
    send(url, update) {
      let lane = lanes.get(url);
      if (!lane) {
        lane = { url, waiting: [], busy: 0 };
        lanes.set(url, lane);
      }
      if (lane.waiting.length >= mostWaiting) {
        counts.givenUp += 1;
        return;
      }
      lane.waiting.push(update);
      pump(lane);
    },
    idle,
    isIdle,
    record,
    counts,
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) lane.waiting = [];
      await agent.destroy();
    },
  };
}

/** Proves that whoever answers there knows the token: nothing is stored as a callback address before. */
export async function handshake(url: string, verifyToken: string, challenge: string): Promise<boolean> {
  const target = new URL(url);
  target.searchParams.set('hub.mode', 'subscribe');
  target.searchParams.set('hub.challenge', challenge);
  target.searchParams.set('hub.verify_token', verifyToken);
  try {
    const answer = await request(target, { headersTimeout: 5_000, bodyTimeout: 5_000 });
    return (await answer.body.text()) === challenge && answer.statusCode === 200;
  } catch {
    return false; // nobody answers there
  }
}

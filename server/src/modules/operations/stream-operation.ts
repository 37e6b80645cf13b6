// An operation as a stream of server-sent events: its state now, and again whenever it changes, until it has ended.
import { createPlaces } from '../../platform/http/limits/places.ts';
import { Answer, StreamedAnswer, type Streaming } from '../../platform/http/operations/operation.ts';
import { createWaiter, type Waiter } from '../../platform/queue/waiter.ts';
import { getOperation } from './operations.ts';
import { changeChannel } from './resource.ts';
import type { Operation } from './schema.ts';

// A change is told at once; this is how long one takes whose telling was lost.
const lookMs = 1_000;
// Proxies close a connection on which nothing is said.
const silenceMs = 15_000;
// A credential withdrawn meanwhile is noticed when the client connects again.
const longestMs = 10 * 60_000;

const places = createPlaces({ name: 'streams', perAccount: 50 });

export async function streamOperation(call: Streaming, sid: string, lastEventId: string | undefined) {
  const operation = await call.read((t) => getOperation(t, sid));
  // Told already that it has ended, a client connects again only because connections end; 204 bids it stop.
  if (operation.finishedAt !== null && lastEventId === idOf(operation)) return new Answer(204, null);
  places.take(call.accountSid, call.signal);
  return new StreamedAnswer('text/event-stream; charset=utf-8', follow(call, operation), {
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}

async function* follow(call: Streaming, first: Operation): AsyncGenerator<string> {
  const waiter = createWaiter();
  const hears = (sid: string) => void (sid === first.sid && waiter.wake());
  // Where nothing can be heard, looking once in a while has to do.
  const stopListening = await call.database
    .listen(changeChannel, hears, waiter.wake)
    .catch(() => async () => {});
  waiter.wake(); // it may have changed before this was listening
  call.signal.addEventListener('abort', waiter.wake, { once: true });
  try {
    yield* changesOf(call, first, waiter);
  } finally {
    await stopListening();
  }
}

async function* changesOf(call: Streaming, first: Operation, waiter: Waiter): AsyncGenerator<string> {
  const beganMs = performance.now();
  let shown = first;
  let spokeMs = beganMs;
  yield `retry: ${lookMs}\n\n${eventOf(first)}`;
  while (shown.finishedAt === null && performance.now() - beganMs < longestMs) {
    await waiter.wait(lookMs);
    if (call.signal.aborted) return; // nobody listens any more
    const operation = await look(call, first.sid);
    if (!operation) return;
    const changed = idOf(operation) !== idOf(shown);
    if (!changed && performance.now() - spokeMs < silenceMs) continue;
    spokeMs = performance.now();
    shown = operation;
    yield changed ? eventOf(operation) : ': still here\n\n';
  }
}

/** Null ends the stream; the client connects again and hears the reason. */
async function look(call: Streaming, sid: string): Promise<Operation | null> {
  try {
    return await call.read((t) => getOperation(t, sid));
  } catch (error) {
    call.log.warn({ err: error }, 'an operation could not be followed');
    return null;
  }
}

const idOf = ({ state, updatedAt, progress }: Operation) => `${state}:${progress.done}:${updatedAt}`;

const eventOf = (operation: Operation) =>
  `event: operation\nid: ${idOf(operation)}\ndata: ${JSON.stringify(operation)}\n\n`;

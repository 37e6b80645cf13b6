// What happens in an account, as a stream of hints: each says that something happened and to what. Whoever wants to know more
// reads it the ordinary way, so that what they may see is judged there and nowhere else.
import type { Database } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors/errors.ts';
import { createPlaces } from '../../platform/http/limits/places.ts';
import { StreamedAnswer, type Streaming } from '../../platform/http/operations/operation.ts';
import { type Hint, hintsAfter, lastSequence } from '../../platform/live-events/hints.ts';
import { createWatch, type Watch, type Watching } from '../../platform/live-events/watch.ts';
import type { Principal } from '../../platform/principal.ts';
import { historyStart } from '../webhooks/index.ts';
import { audible } from './audible.ts';

// Proxies close a connection on which nothing is said.
const silenceMs = 15_000;
// Whoever is not let in any more hears nothing new after this.
const knownForMs = 2_000;
// A client that was away for longer than this begins anew: reading what it shows is less work than so many hints.
const mostMissed = 10_000;
const perPage = 500;

export const places = createPlaces({ name: 'live', perAccount: 100, perProcess: 2_000 });

const watches = new WeakMap<Database, Watch>();

function watchOf({ database, time, log }: Streaming): Watch {
  const watch = watches.get(database) ?? createWatch(database, time, log);
  watches.set(database, watch);
  return watch;
}

/** `missed` where what happened since cannot be told. */
type Start = { after: number; missed: boolean };

export async function followAccount(call: Streaming, lastEventId: string | undefined) {
  const heard = readLastEventId(lastEventId);
  const start = await call.read(async (t): Promise<Start> => {
    const [head, first] = [await lastSequence(t), await historyStart(t)];
    if (heard === null) return { after: head, missed: false };
    const tellable = heard <= head && heard + 1 >= first && head - heard <= mostMissed;
    return tellable ? { after: heard, missed: false } : { after: head, missed: true };
  });
  places.take(call.accountSid, call.signal);
  return new StreamedAnswer('text/event-stream; charset=utf-8', follow(call, start), {
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
}

function readLastEventId(given: string | undefined): number | null {
  if (given === undefined || given === '') return null;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw invalid({ path: 'Last-Event-ID', issue: 'must be the id of the last hint that was heard' });
}

async function* follow(call: Streaming, { after, missed }: Start): AsyncGenerator<string> {
  const watching = watchOf(call).join(call, after, call.signal);
  try {
    yield `retry: 1000\n\n${missed ? eventOf('reset', after, { sequence: after }) : progressTo(after)}`;
    yield* hintsFrom(call, watching, after);
  } finally {
    watching.leave();
  }
}

async function* hintsFrom(call: Streaming, watching: Watching, after: number): AsyncGenerator<string> {
  let cursor = after;
  let spokeAt = call.time().getTime();
  const known = recheck(call);
  while (!call.signal.aborted) {
    const hints = await nextOf(call, watching, cursor);
    // Asked after it happened: whoever was not let in any more by then is not told.
    const nowMs = call.time().getTime();
    const principal = await known(nowMs);
    if (principal === null) return;
    const heard = await audible(call, principal, hints);
    cursor = hints.at(-1)?.sequence ?? cursor;
    if (heard.length > 0) yield heard.map(hintText).join('');
    else if (nowMs - spokeAt >= silenceMs) yield `: still here\n${progressTo(cursor)}`;
    else if (hints.length === 0) await watching.wait();
    if (heard.length > 0 || nowMs - spokeAt >= silenceMs) spokeAt = nowMs;
  }
}

/** What is at hand, or a page of what is not any more. */
const nextOf = async (call: Streaming, watching: Watching, cursor: number): Promise<readonly Hint[]> =>
  watching.after(cursor)?.slice(0, perPage) ?? call.read((t) => hintsAfter(t, cursor, perPage));

/** Whoever listens, not older than they are believed; null once they may not listen any more. */
function recheck(call: Streaming): (nowMs: number) => Promise<Principal | null> {
  let principal: Principal | null = call.principal;
  let readAt = call.now.getTime();
  return async (nowMs) => {
    if (principal && nowMs - readAt < knownForMs) return principal;
    principal = await call.principalNow();
    readAt = nowMs;
    return principal;
  };
}

/** Moves the number a client comes back with, and tells it nothing. */
const progressTo = (sequence: number) => `id: ${sequence}\n\n`;

const eventOf = (event: string, id: number, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const hintText = ({ sequence, type, resourceSid }: Hint) =>
  eventOf('hint', sequence, { sequence, type, resourceSid });

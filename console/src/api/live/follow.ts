// The stream of hints of one account in one environment, held open for as long as somebody wants to hear it.
import { GodwitError } from '@godwit/sdk';
import { clientOf } from '../clients.ts';
import type { Environment } from '../environment.ts';
import { eventsIn } from './server-sent.ts';

export type Place = { environment: Environment; accountSid: string };

/** That something happened to a resource; `null` where so much was missed that everything is to be read anew. */
export type Hint = { type: string; resourceSid: string | null } | null;

/** `lost` while it tries again; `refused` when it never will. */
export type StreamState = 'opening' | 'open' | 'lost' | 'refused';

type Listener = { onHint(hint: Hint): void; onState(state: StreamState): void };

const firstRestMs = 500;
const longestRestMs = 10_000;

/** Comes back by itself, and goes on where it was: what happened meanwhile is told then. */
export async function follow(
  place: Place,
  { onHint, onState }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const { live } = clientOf(place.environment, place.accountSid);
  let lastId: string | null = null;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== null && { 'Last-Event-ID': lastId }) };
      const answer = await live.follow({ headers, signal });
      failures = 0;
      onState('open');
      for await (const { id, event, data } of eventsIn(answer.body!)) {
        lastId = id ?? lastId;
        if (event === 'hint') onHint(JSON.parse(data));
        if (event === 'reset') onHint(null);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof GodwitError && (error.status === 401 || error.status === 403))
        return onState('refused');
    }
    if (signal.aborted) return;
    onState('lost');
    failures += 1;
    await rest(Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs), signal);
  }
}

const rest = (ms: number, signal: AbortSignal) =>
  new Promise<void>((over) => {
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      over();
    });
  });

// A tab's part in what its browser hears of an account.
import { follow, type Hint, type Place, type StreamState } from './follow.ts';
import { trusted } from './trusted.ts';
import workerUrl from './worker.ts?sharedworker&url';

/** `lock` is held by the tab for as long as it is open. */
export type ToWorker = { place: Place; lock: string } | { leaves: true };
export type FromWorker = { hint: Hint } | { state: StreamState };

type Listener = { onHint(hint: Hint): void; onState(state: StreamState): void };

/** Hears of an account until the answer is called. */
export function joinLive(place: Place, listener: Listener): () => void {
  return typeof SharedWorker === 'undefined' || !navigator.locks
    ? joinAlone(place, listener)
    : joinShared(place, listener);
}

/** Browsers of some phones share nothing between tabs. */
function joinAlone(place: Place, listener: Listener): () => void {
  const stopping = new AbortController();
  void follow(place, listener, stopping.signal);
  return () => stopping.abort();
}

function joinShared(place: Place, { onHint, onState }: Listener): () => void {
  const { port } = new SharedWorker(trusted(workerUrl) as string, { type: 'module', name: 'live' });
  const say = (told: ToWorker) => port.postMessage(told);
  port.onmessage = ({ data }: MessageEvent<FromWorker>) =>
    'hint' in data ? onHint(data.hint) : onState(data.state);
  const lock = crypto.randomUUID();
  const left = new AbortController();
  const held = new Promise<void>((over) => left.signal.addEventListener('abort', () => over()));
  void navigator.locks.request(lock, async () => {
    if (left.signal.aborted) return;
    say({ place, lock });
    await held;
  });
  return () => {
    left.abort();
    say({ leaves: true });
    port.close();
  };
}

// Shared by all tabs of a browser, which opens no more than six connections to one place: it holds one stream for each account and
// environment that some tab shows.
import { follow, type Hint, type Place, type StreamState } from './follow.ts';
import type { FromWorker, ToWorker } from './join.ts';

type Stream = { ports: Set<MessagePort>; state: StreamState; stop(): void };

const streams = new Map<string, Stream>();
const keyOf = ({ environment, accountSid }: Place) => `${environment} ${accountSid}`;

function open(place: Place): Stream {
  const stopping = new AbortController();
  const stream: Stream = { ports: new Set(), state: 'opening', stop: () => stopping.abort() };
  const tell = (told: FromWorker) => {
    for (const port of stream.ports) port.postMessage(told);
  };
  const listener = {
    onHint: (hint: Hint) => tell({ hint }),
    onState: (state: StreamState) => {
      stream.state = state;
      tell({ state });
    },
  };
  void follow(place, listener, stopping.signal);
  return stream;
}

function join(port: MessagePort, place: Place): void {
  const key = keyOf(place);
  const known = streams.get(key);
  // One that was refused is tried anew: whoever comes now may have signed in again.
  const stream = known && known.state !== 'refused' ? known : open(place);
  streams.set(key, stream);
  stream.ports.add(port);
  port.postMessage({ state: stream.state } satisfies FromWorker);
}

function leave(port: MessagePort): void {
  for (const [key, stream] of streams) {
    if (!stream.ports.delete(port) || stream.ports.size > 0) continue;
    stream.stop();
    streams.delete(key);
  }
}

type SharedScope = { onconnect(connected: MessageEvent): void };

(globalThis as unknown as SharedScope).onconnect = ({ ports: [port] }) => {
  port!.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    leave(port!);
    if (!('place' in data)) return;
    join(port!, data.place);
    // A tab says nothing when it is closed; it holds a lock, which falls to whoever waits for it.
    void navigator.locks.request(data.lock, () => leave(port!));
  };
};

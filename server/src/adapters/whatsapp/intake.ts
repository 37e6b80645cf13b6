// Where the body of an answer goes: into memory up to a limit, or on to whoever takes it as it comes.
import type { Sink } from '../../modules/provider/index.ts';

/** What can be done to an answer while it comes. */
type Flow = { pause(): void; resume(): void; abort(reason: Error): void };

export type Intake = {
  take(flow: Flow, chunk: Buffer): void;
  /** What is held of the body, once all of it was taken. */
  end(): Promise<Buffer>;
};

export class TooLarge extends Error {}
/** The sink could not take what came; `cause` says why. */
export class NotWritten extends Error {}

export function holding(maxBytes: number): Intake {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    take(flow, chunk) {
      length += chunk.length;
      if (length > maxBytes) flow.abort(new TooLarge());
      else chunks.push(chunk);
    },
    end: async () => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
  };
}

const nothing = Buffer.alloc(0);

/** Reads no more while a chunk is being written, so that the sender waits and not our memory. */
export function flowing({ maxBytes, write }: Sink): Intake {
  let length = 0;
  let written: Promise<void> = Promise.resolve();
  return {
    take(flow, chunk) {
      // Going on is told by an empty chunk when nothing more has come yet: pausing for it would go round for ever.
      if (chunk.length === 0) return;
      length += chunk.length;
      if (length > maxBytes) return flow.abort(new TooLarge());
      flow.pause();
      written = written
        .then(() => write(chunk))
        .catch((cause) => {
          throw cause instanceof NotWritten ? cause : new NotWritten('the sink failed', { cause });
        });
      written.then(
        () => flow.resume(),
        (error) => flow.abort(error),
      );
    },
    async end() {
      await written;
      return nothing;
    },
  };
}

// How a process ends: once it is asked to, in time, and saying why when it cannot.
import type { Log } from '../../platform/observability/logging.ts';

// Ctrl-C reaches every process of the terminal, and npm and the launcher hand it on: the same wish arrives twice.
const sameWishMs = 1_000;
// Just under the 30 s after which those who run processes usually kill them, so that the log still says why.
const stopLimitMs = 25_000;

/** What it needs of the process it ends. */
export type Host = {
  on(event: string, listener: (error: unknown) => void): unknown;
  exit(code: number): void;
  getActiveResourcesInfo(): string[];
  stdout: { isTTY: boolean; write(text: string): unknown };
};
type StoppingOptions = { host?: Host; nowMs?: () => number; limitMs?: number };

export function stopWhenAsked(
  stop: () => Promise<void>,
  log: Log,
  { host = process, nowMs = () => performance.now(), limitMs = stopLimitMs }: StoppingOptions = {},
): void {
  let askedMs: number | null = null;
  const end = (code: number) => {
    if (askedMs !== null) return;
    askedMs = nowMs();
    if (host.stdout.isTTY) host.stdout.write('\n  Stopping: requests in flight may finish.\n');
    setTimeout(() => {
      const open = host.getActiveResourcesInfo();
      log.error(
        { open },
        `did not stop within ${limitMs / 1_000} s, and ends now; nothing acknowledged is lost`,
      );
      host.exit(1);
    }, limitMs).unref();
    stop().then(
      () => host.exit(code),
      (error) => {
        log.error({ err: error }, 'did not stop cleanly');
        host.exit(1);
      },
    );
  };
  host.on('SIGINT', () => {
    if (askedMs !== null && nowMs() - askedMs > sameWishMs) host.exit(130); // asked again: a person wants it gone now
    end(0);
  });
  // Whoever manages processes may repeat it, and so may the launcher when it sees npx go: that is no impatience.
  host.on('SIGTERM', () => end(0));
  // An error nobody caught leaves the process in a state nobody knows: it stops taking work and ends.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    host.on(event, (error) => {
      log.fatal({ err: error }, 'an error nobody caught');
      end(1);
    });
  }
}

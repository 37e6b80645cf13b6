import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { connectLimitMs, noticesDeadPeers, sessionOptions } from './pool.ts';

export async function listenOn(
  url: string,
  channel: string,
  onNotify: (payload: string) => void,
  onLost: () => void,
  log: Log,
): Promise<() => Promise<void>> {
  let closing = false;
  let client: pg.Client | null = null;
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      options: sessionOptions('godwit_system'),
      connectionTimeoutMillis: connectLimitMs,
      ...noticesDeadPeers,
    });
    next.on('notification', (message) => onNotify(message.payload ?? ''));
    next.on('error', () => {});
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
    } catch (error) {
      void next.end().catch(() => {});
      throw error;
    }
    // Only a connection that stood can be lost. One that never did ends too, and whoever opened it tries again:
    // were both to try, the tries would double with every failure.
    next.on('end', () => {
      if (closing) return;
      onLost();
      void reconnect();
    });
    client = next;
    if (closing) await next.end();
  };
  const reconnect = async () => {
    for (let waitMs = 50; !closing; waitMs = Math.min(waitMs * 2, 2_000)) {
      await sleep(waitMs);
      try {
        await connect();
        onLost(); // what was announced while nobody listened is unknown
        return;
      } catch (error) {
        log.warn({ err: error }, 'cannot listen to the database yet');
      }
    }
  };
  await connect();
  return async () => {
    closing = true;
    await client?.end();
  };
}

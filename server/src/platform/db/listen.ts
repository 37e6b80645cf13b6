// One connection of a process that hears everything it wants to hear. It is opened with the first listener and closed with the last.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observability/logging.ts';
import { connectLimitMs, noticesDeadPeers, sessionOptions } from './pool.ts';

export type Listen = (
  channel: string,
  onNotify: (payload: string) => void,
  onLost: () => void,
) => Promise<() => Promise<void>>;

export type Listening = {
  listen: Listen;
  /** Lets the listeners of this process hear something that PostgreSQL need not carry. */
  hear(channel: string, payload: string): void;
  /** Ends it for all who have not left. */
  end(): Promise<void>;
};

type Listener = { onNotify(payload: string): void; onLost(): void };

export function createListening(
  url: string,
  onMessage: (channel: string, payload: string) => void,
  log: Log,
): Listening {
  const listeners = new Map<string, Set<Listener>>();
  /** The connection that stands, and what it listens to. */
  let standing: { client: pg.Client; channels: Set<string> } | null = null;
  let attending: Promise<void> | null = null;
  let reconnecting = false;

  const tellLoss = () => {
    for (const ofChannel of listeners.values()) for (const { onLost } of ofChannel) onLost();
  };
  /** Also what somebody begins to want meanwhile: a map that grows is gone through to its new end. */
  const listenToAll = async (client: pg.Client, channels: Set<string>) => {
    for (const channel of listeners.keys()) {
      if (channels.has(channel)) continue;
      channels.add(channel);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    }
  };
  const connect = async () => {
    const client = new pg.Client({
      connectionString: url,
      options: sessionOptions('godwit_system'),
      connectionTimeoutMillis: connectLimitMs,
      ...noticesDeadPeers,
    });
    const channels = new Set<string>();
    client.on('notification', ({ channel, payload }) => onMessage(channel, payload ?? ''));
    client.on('error', () => {});
    try {
      await client.connect();
      await listenToAll(client, channels);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    // Only a connection that stood can be lost. One that never did ends too, and whoever opened it tries again:
    // were both to try, the tries would double with every failure.
    client.on('end', () => {
      if (standing?.client !== client) return;
      standing = null;
      tellLoss();
      void reconnect();
    });
    standing = { client, channels };
    if (listeners.size === 0) await close();
  };
  const reconnect = async () => {
    reconnecting = true;
    for (let waitMs = 50; listeners.size > 0 && !standing; waitMs = Math.min(waitMs * 2, 2_000)) {
      await sleep(waitMs);
      if (listeners.size === 0) break;
      try {
        await connect();
        tellLoss(); // what was announced while nobody listened is unknown
      } catch (error) {
        log.warn({ err: error }, 'cannot listen to the database yet');
      }
    }
    reconnecting = false;
  };
  const close = async () => {
    const client = standing?.client;
    standing = null;
    await client?.end();
  };
  /** Connects if need be, and listens to whatever is wanted and not yet listened to, one after the other. */
  const attendAll = async () => {
    if (!standing) return connect();
    const { client, channels } = standing;
    try {
      await listenToAll(client, channels);
    } catch (error) {
      // Gone again already: whoever reconnects listens to all of them.
      if (standing?.client === client) throw error;
    }
  };
  /** Settles when the channel is listened to, or will be as soon as the database is back. */
  const attend = async (channel: string) => {
    while ((standing || !reconnecting) && !standing?.channels.has(channel) && listeners.has(channel)) {
      attending ??= attendAll().finally(() => {
        attending = null;
      });
      await attending;
    }
    await attending; // one that was just begun for this channel
  };

  return {
    hear(channel, payload) {
      for (const { onNotify } of listeners.get(channel) ?? []) onNotify(payload);
    },
    async end() {
      listeners.clear();
      await close();
    },
    async listen(channel, onNotify, onLost) {
      const listener = { onNotify, onLost };
      const ofChannel = listeners.get(channel) ?? new Set();
      listeners.set(channel, ofChannel.add(listener));
      const leave = async () => {
        const current = listeners.get(channel);
        current?.delete(listener);
        if (current?.size === 0) listeners.delete(channel);
        if (listeners.size === 0) await close();
      };
      try {
        await attend(channel);
      } catch (error) {
        await leave();
        throw error;
      }
      return leave;
    },
  };
}

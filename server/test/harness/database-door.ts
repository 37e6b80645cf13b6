import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

export type Door = { url: string; cut(): void; close(): Promise<void> };

/** A way to a database. Whoever connects is taken, and answered once `onKnock` lets them in. */
export async function openDoor(databaseUrl: string, onKnock: (letIn: () => void) => void): Promise<Door> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: databaseUrl });
  const outside = new Set<Socket>();
  const door = createServer((socket) => {
    outside.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => outside.delete(socket));
    onKnock(() => {
      const inside = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
      inside.on('error', () => socket.destroy());
      socket.once('close', () => inside.destroy());
      socket.pipe(inside).pipe(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const address = door.address() as AddressInfo;
  const cut = () => {
    for (const socket of outside) socket.destroy();
  };
  return {
    url: `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${address.port}/${database}`,
    cut,
    async close() {
      cut();
      await new Promise((closed) => door.close(closed));
    },
  };
}

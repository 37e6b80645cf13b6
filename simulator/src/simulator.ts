import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

/** The app the simulator's callbacks belong to. */
export const simulatorAppId = '100000000000001';

export type SimulatorOptions = {
  /** 0 takes a free port. */
  port: number;
  host?: string;
  appId?: string;
  appSecret: string;
  verifyToken: string;
  /** Where callbacks go until an app or a WABA says otherwise; null sends none. Asked at each callback. */
  callbackUrl: string | null | (() => string | null);
  /** The same seed and the same calls give the same ids and callbacks. */
  seed?: string;
  /** Keeps WABAs, numbers, PINs, templates and media over a restart. */
  stateFile?: string;
  /** A clock handed in is moved by its owner: nothing falls due until `control.advance` or `control.settle` is called. */
  clock?: { now(): Date };
  /** What is scheduled goes out at once. */
  instant?: boolean;
  log?: (level: 'info' | 'warn', message: string, facts?: object) => void;
};

export type Simulator = { url: string; stop(): Promise<void>; control: Record<string, never> };

export async function startSimulator({ port, host = '127.0.0.1' }: SimulatorOptions): Promise<Simulator> {
  const app = Fastify();
  app.get('/', async () => ({ name: 'simulator' }));
  await app.listen({ port, host });
  const { port: actual } = app.server.address() as AddressInfo;
  return { url: `http://${host}:${actual}`, stop: () => app.close(), control: {} };
}

// Starts the simulator: its state, its server, its control.
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { simulatorAppId } from './app-id.ts';
import { type Control, createControl } from './control/control.ts';
import { addControlRoutes } from './control/control-routes.ts';
import { homePage } from './control/home-page.ts';
import { createSimulation } from './create-simulation.ts';
import { buildApp, createTenants } from './http/http.ts';
import type { Log } from './log.ts';
import type { LinkMode } from './media/link-media.ts';
import { addRoutes } from './routes.ts';
import type { Settings } from './settings.ts';

export type SimulatorOptions = {
  /** 0 takes a free port. */
  port: number;
  host?: string;
  appId?: string;
  appSecret: string;
  verifyToken: string;
  /** Where callbacks go until an app or a WABA says otherwise; null sends none. Asked at each callback. */
  callbackUrl: string | null | (() => string | null);
  /** The same seed and the same calls give the same ids and callbacks. By default every start has its own. */
  seed?: string;
  /** Keeps WABAs, numbers, PINs, templates and media over a restart. */
  stateFile?: string;
  /** A clock handed in is moved by its owner: nothing falls due until `control.advance` or `control.settle` is called. */
  clock?: { now(): Date };
  /** What is scheduled goes out at once. */
  instant?: boolean;
  settings?: Partial<Settings>;
  /** Whether media by link is fetched, and from where. By default it is believed to be there. */
  links?: LinkMode;
  /** How many accepted messages are kept in full. */
  recordLimit?: number;
  log?: Log;
};

export type Simulator = { url: string; control: Control; stop(): Promise<void> };

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', callbackUrl, log = () => {} } = options;
  const simulation = await createSimulation({
    ...options,
    appId: options.appId ?? simulatorAppId,
    callbackUrl: typeof callbackUrl === 'function' ? callbackUrl : () => callbackUrl,
    seed: options.seed ?? randomUUID(),
    instant: options.instant ?? false,
    settings: options.settings ?? {},
    links: options.links ?? 'believed',
    log,
  });
  const app = buildApp(simulation);
  const tenants = createTenants(simulation);
  const control = createControl(simulation, tenants.forget);
  addRoutes(app, simulation, tenants);
  addControlRoutes(app, simulation, control);
  app.get('/', (_request, reply) => reply.type('text/html').send(homePage()));
  await app.listen({ port: options.port, host });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`,
    control,
    async stop() {
      simulation.timeline.clear();
      await app.close();
      await simulation.callbacks.stop();
      await simulation.state.flush();
    },
  };
}

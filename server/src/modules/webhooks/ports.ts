// What webhooks need of the outside world.
import type { Outbound } from '../../platform/outbound.ts';
import type { Ports } from '../../platform/ports.ts';

declare module '../../platform/ports.ts' {
  interface Ports {
    /** Reaches public addresses only, whatever a development machine allows its sandbox. */
    liveOutbound: Outbound;
  }
}

export const outboundFor = (ports: Ports, { livemode }: { livemode: boolean }): Outbound =>
  livemode ? ports.liveOutbound : ports.outbound;

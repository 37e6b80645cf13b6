import type { Outbound } from './outbound/outbound.ts';
import type { Spool } from './spool.ts';

/**
 * What features need of the outside world. A feature adds its own port in its `ports.ts`:
 *
 *     declare module '../../platform/ports.ts' {
 *       interface Ports { mailer: Mailer }
 *     }
 *
 * and main connects an adapter to it. Jobs and operations that call outside receive them; transactions do not.
 */
export interface Ports {
  outbound: Outbound;
  /** Where files wait until somebody keeps them. */
  spool: Spool;
}

/**
 * Facts of this installation that answers may mention. Features add theirs as they add ports; main fills them in from the
 * settings.
 */
export interface Site {
  publicUrl: string;
  region: string;
  /** A development switch: what sandboxes call may be on this machine or a private network, also over http. Never live. */
  allowPrivateAddresses: boolean;
}

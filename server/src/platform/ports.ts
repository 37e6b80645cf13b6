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

/** Where the messaging provider answers, and which version of its API is spoken. */
export type ProviderPlace = {
  baseUrl: string;
  apiVersion: string;
  /** This installation's app there; null when it has none. */
  appId: string | null;
};

/** Facts of this installation that answers may mention. */
export type Site = {
  publicUrl: string;
  region: string;
  allowPrivateWebhooks: boolean;
  media: { retentionDays: number; fetchSeconds: number };
  provider: { live: ProviderPlace; sandbox: ProviderPlace };
};

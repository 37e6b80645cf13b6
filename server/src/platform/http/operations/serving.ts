// What serves requests, and a request on its way: known to all that take part in answering it.
import type { Clock } from '../../clock.ts';
import type { Database, TenantTx } from '../../db/database.ts';
import type { Log } from '../../observability/logging.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Ports, Site } from '../../ports.ts';
import type { Principal } from '../../principal.ts';
import type { Sealer } from '../../sealing.ts';
import type { Uploads } from '../input/uploads.ts';
import type { KeyedHash } from '../key-secret.ts';
import type { Denial } from '../limits/denials.ts';
import type { Buckets, LocalBuckets, Policy } from '../limits/rate-limit.ts';
import type { Measure } from './gather-accounts.ts';

/** A request as the framework hands it over, before anything in it is believed. */
export type Incoming = {
  method: string;
  /** Path and query exactly as they were sent. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  address: string;
  requestId: string;
  log: Log;
};

export type Authentication = {
  principal: Principal;
  /** Present when the credential is a signature over the body: it proves the principal once the body is read. */
  confirm?: (bodySha256: string) => Promise<void>;
  /** Present when the credential was not read for this request alone: reads and judges it as it is now. */
  renew?: () => Promise<Principal>;
  /** Judges it as it is at this moment, which counts as no use of it: for answers that last. Throws where it no longer holds. */
  look?: (at: Date) => Promise<Principal>;
};

/** Recognizes one kind of credential; null when the request carries none of it. */
export type Authenticator = (incoming: Incoming, now: Date) => Promise<Authentication | null>;

/** Judges a step-up token for exactly this action; throws when it is not good for it. */
export type StepUpGate = {
  /** Spends it inside the transaction of the action, and tells the SID of the person whose factor it stands for. */
  spend(t: TenantTx, action: string, token: string | undefined): Promise<string>;
  /** Only looks, before something is called outside whose outcome decides whether there will be an action. */
  check(t: TenantTx, action: string, token: string | undefined): Promise<void>;
};

export type Serving = {
  database: Database;
  clock: Clock;
  metrics: Metrics;
  sealer: Sealer;
  /** What keys of requests are kept as. */
  keyedHash: KeyedHash;
  ports: Ports;
  uploads: Uploads;
  site: () => Site;
  buckets: Buckets;
  /** Failed credentials by address; always of this process, since nothing is lost when each counts its own. */
  guesses: LocalBuckets;
  authenticators: Authenticator[];
  stepUp: StepUpGate;
  /** Told when a principal is refused a mutation on its own account for want of a scope; never throws. */
  onDenied(denial: Denial): Promise<void>;
  /** This process, as `processes` knows it. */
  processId: string;
  limits: { perKey: Policy; perAddress: Policy; guesses: Policy; together: Measure };
  /** Where the errors are explained to people. */
  docsUrl(): string;
  /** In tests every answer is held against its declared schema. */
  checkAnswers: boolean;
};

export type Call = {
  incoming: Incoming;
  now: Date;
  headers: Record<string, string>;
  authentication: Authentication | null;
  /** Aborted when the client has gone or the service stops; for answers sent in pieces. */
  signal: AbortSignal;
};

import type { Registry } from 'prom-client';
import type { Store } from './belongings.ts';
import type { Database } from './db/database.ts';
import type { EventConsumer } from './event-consumers/consume.ts';
import type { EventType } from './events.ts';
import type { Mount } from './http/mount.ts';
import type { Approvable } from './http/operations/approvable.ts';
import type { Operation } from './http/operations/operation.ts';
import type { Page } from './http/pages.ts';
import type { Loop } from './jobs/claim-loop.ts';
import type { Cron, Job } from './jobs/jobs.ts';
import type { NotificationType } from './notifications.ts';
import type { Site } from './ports.ts';

/** What a feature needs to tell operators what it sees. */
export type Observing = { registry: Registry; database: Database; now: () => Date; site: () => Site };

/** What a feature brings: its manifest, read by the composition and by the architecture's tests. */
export type Module = {
  name: string;
  /** The tables it owns: no other module's SQL may name them. */
  tables: string[];
  operations: Operation[];
  /** What the headings of its operations are about, for the reference. */
  tags?: Record<string, string>;
  /** What it tells of: nothing else can be emitted. */
  events?: EventType[];
  /** What of it people should know of: who, and in which words. */
  notifications?: NotificationType[];
  jobs: Job[];
  crons: Cron[];
  /** What of it looks at every event, also of other features. */
  consumers?: EventConsumer[];
  /** Queues of its own, for what jobs are too slow for. */
  loops?: Loop[];
  /** Pages it serves to people itself. */
  pages?: Page[];
  /** What it does only once a second person agreed. */
  approvables?: Approvable[];
  /** Adds what it tells operators to `/metrics`, in every process. */
  observe?(observing: Observing): void;
  /** What it keeps of people: how it is removed, copied and searched. */
  belongings?: Store[];
  /** Protocols of its own, beside the operations. */
  mounts?: Mount[];
};

// Everything that is going on at the payment service, in one hand.
import type { Random } from '../../random.ts';
import type { Timeline } from '../../timeline.ts';
import type { PaymentSettings } from '../settings.ts';
import type { PaymentRules } from './payment-rules.ts';
import type { Tables, Task, TaskKind } from './rows.ts';

/** The version of the service's API that the shapes are of. */
export const apiVersion = '2026-10-28.endive';

export type Payments = {
  livemode: boolean;
  tables: Tables;
  timeline: Timeline;
  random: Random;
  settings: PaymentSettings;
  rules: PaymentRules;
  /** Where people reach the hosted pages. */
  url(): string;
  /** The tables are not as they are written. */
  changed(): void;
  /** Tells whoever listens. `previous`: what an update changed, as it was before. */
  emit(type: string, object: object, previous?: object): void;
  /** The request that causes what happens now; null for what happens by itself. */
  cause: { id: string; idempotency_key: string | null } | null;
  work: Record<TaskKind, (task: Task) => void>;
};

export const nowS = ({ timeline }: Payments): number => Math.floor(timeline.nowMs() / 1000);

/** An id as the service gives them. */
export const newId = ({ random }: Payments, prefix: string, length = 24): string =>
  `${prefix}_${random.word(length)}`;

type Later = { lasting?: boolean; more?: Record<string, string> };

/** `lasting`: stays in the future even when everything else is instant. */
export function later(payments: Payments, kind: TaskKind, id: string, delayMs: number, options: Later = {}) {
  const { lasting = false, more } = options;
  const task: Task = { kind, id, atMs: payments.timeline.nowMs() + delayMs, lasting, more };
  const key = newId(payments, 'task');
  payments.tables.tasks.set(key, task);
  payments.changed();
  arm(payments, key, task, delayMs);
}

/** What was still to come when the simulator stopped. */
export function resumeTasks(payments: Payments): void {
  const nowMs = payments.timeline.nowMs();
  for (const [key, task] of payments.tables.tasks) arm(payments, key, task, Math.max(task.atMs - nowMs, 0));
}

function arm(payments: Payments, key: string, task: Task, delayMs: number): void {
  payments.timeline.after(
    delayMs,
    () => {
      if (!payments.tables.tasks.delete(key)) return;
      payments.changed();
      payments.work[task.kind](task);
    },
    { lasting: task.lasting },
  );
}

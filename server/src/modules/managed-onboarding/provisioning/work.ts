// What every step is given, and the ways in which it goes on: at once, later, or when somebody has done something.
import type { TenantTx } from '../../../platform/db/database.ts';
import { later, type OperationContext, type StepOutcome } from '../../operations/index.ts';
import { type Connection, Later, Refused } from '../../provider/index.ts';
import { connectionWith, type WabaHooks } from '../../wabas/index.ts';
import type { ApplicationRow } from '../applications/applications.ts';
import type { NumberVendor, VendorAnswer, VendorPlace } from '../ports.ts';
import type { TaskName } from '../task-names.ts';
import { beginIntent, type Call, endIntents, isBegun } from './intents.ts';
import { advance, openOf, type Progress, type ProgressChange } from './progress.ts';
import { newestTask, openTask } from './tasks.ts';

export type Work = {
  context: OperationContext;
  hooks: WabaHooks;
  livemode: boolean;
  application: ApplicationRow;
  progress: Progress;
};

/** Null: it has moved on; look again. */
export type Step = (work: Work) => Promise<StepOutcome | null>;

/** The next step, with what was found out; the call that found it has ended. */
export async function goOn(
  { context, progress }: Work,
  change: ProgressChange | ((t: TenantTx) => ProgressChange),
  { ends, also }: { ends?: Call; also?: (t: TenantTx) => Promise<unknown> } = {},
): Promise<null> {
  await context.write(async (t) => {
    await advance(t, progress, typeof change === 'function' ? change(t) : change);
    if (ends) await endIntents(t, progress.applicationSid, ends, 'DONE');
    await also?.(t);
  });
  return null;
}

/**
 * One call outside that must not be made twice: noted before it is made, and where a run died with it in hand, what became of it is
 * looked up first. `look` tells null for what has not happened.
 */
export async function once<T>(
  { context, progress }: Work,
  call: Call,
  look: () => Promise<T | null>,
  ask: () => Promise<T>,
): Promise<T> {
  const { applicationSid } = progress;
  if (await context.read((t) => isBegun(t, applicationSid, call))) {
    const found = await look();
    if (found !== null) return found;
  } else {
    await context.write((t) => beginIntent(t, applicationSid, call));
  }
  return ask();
}

const dayMs = 24 * 60 * 60_000;
/** How long the operator's people may take over a task. */
const taskMs = 30 * dayMs;

/** Waits for somebody of the operator; what they said last ends it when they could not do it. */
export async function byStaff(
  work: Work,
  task: TaskName,
  also?: (t: TenantTx) => Promise<unknown>,
): Promise<StepOutcome> {
  const { context, application } = work;
  const asked = await context.read((t) => newestTask(t, application, task));
  if (asked?.state === 'FAILED')
    throw new Refused('PROVIDER_PERMANENT_ERROR', asked.reason ?? `${task} could not be done.`);
  const since = asked?.state === 'OPEN' ? Date.parse(asked.createdAt) : context.now().getTime();
  const until = new Date(since + taskMs);
  if (context.now() >= until)
    throw new Refused('CONFLICT', `Nobody of the operator has done ${task} within 30 days.`);
  return {
    awaits: 'STAFF',
    nextAction: { task, applicationSid: application.sid },
    until,
    async apply(t) {
      await also?.(t);
      await openTask(t, application, task);
    },
  };
}

export const vendorOf = ({ context, livemode }: Work): { vendor: NumberVendor; place: VendorPlace } => {
  const environment = livemode ? 'live' : 'sandbox';
  return {
    vendor: context.ports.numberVendors[environment],
    place: { baseUrl: context.site.provider[environment].baseUrl },
  };
};

/** What the vendor says; null where the operator's people have to do it. */
export function vendorValue<T>(answer: VendorAnswer<T>): { value: T } | null {
  if (answer.by === 'staff') return null;
  if (answer.by === 'vendor') return { value: answer.value };
  if (answer.retryable) throw new Later({ reason: answer.reason, retryAfterMs: null });
  throw new Refused('PROVIDER_PERMANENT_ERROR', answer.reason);
}

/** The business account that was opened, as whom the provider is called for it. */
export async function connectionFor({ context, livemode, progress }: Work): Promise<Connection> {
  const token = await context.read(async (t) =>
    openOf(t, progress.applicationSid, 'access token', progress.accessToken!),
  );
  return connectionWith({ livemode, site: context.site }, token);
}

/** After a while that grows with the time it has waited already, up to an hour. */
export function pause({ context }: Work, since: string | null, leastMs = 2_000): StepOutcome {
  const waitedMs = since === null ? 0 : context.now().getTime() - Date.parse(since);
  return later(context, Math.min(60 * 60_000, Math.max(leastMs, waitedMs / 4)));
}

// Waiting: until when, for what, and what ends it.

import { isInstant } from '../../../platform/http/input/validation.ts';
import { nextLocalTime } from '../../../platform/time/local-time.ts';
import { factsNeeded } from '../conditions/facts.ts';
import { judgeConditions } from '../conditions/judge.ts';
import type { ActionOf } from '../definition/actions.ts';
import { isObject } from '../definition/predicates.ts';
import { pathsIn } from '../definition/walk.ts';
import { customEvent } from '../grammar/catalogue.ts';
import { fillValue } from './fill.ts';
import { asksToStop, messageReceived, messageSidOf, replyOf } from './replies.ts';
import type { LoggedEvent, Outcome, Wait } from './state.ts';
import {
  type Context,
  failStep,
  finish,
  goOn,
  lookupIn,
  type Next,
  need,
  needPaths,
  remember,
  setVariable,
  standing,
  tell,
  tooLarge,
} from './turn-context.ts';

export type Waiting = ActionOf<'wait'> | ActionOf<'wait_for_reply'> | ActionOf<'wait_for_event'>;
type Awaiting = Exclude<Waiting, ActionOf<'wait'>>;

export function waitForTime(context: Context, action: ActionOf<'wait'>): Next {
  const zoned = action.localTime?.timezone === 'contact' ? ['contact.timezone'] : [];
  const missing = needPaths(context, [...pathsIn(action), ...zoned]);
  if (missing) return missing;
  const wakeAt = momentOf(context, action);
  if (typeof wakeAt !== 'string') return failStep(context, action, wakeAt);
  // What has passed is not waited for.
  if (Date.parse(wakeAt) <= Date.parse(context.facts.now)) return finish(context, action, 'done');
  return open(context, action, 'time', [], wakeAt);
}

const later = ({ facts: { now } }: Context, seconds: number) =>
  new Date(Date.parse(now) + seconds * 1_000).toISOString();

function momentOf(context: Context, action: ActionOf<'wait'>): string | { code: string; message: string } {
  const { seconds, until, localTime } = action;
  if (seconds !== undefined) return later(context, seconds);
  const lookup = lookupIn(context);
  if (localTime) {
    const zone = localTime.timezone === 'contact' ? lookup('contact.timezone') : localTime.timezone;
    const next =
      typeof zone === 'string' ? nextLocalTime(context.facts.now, { ...localTime, timezone: zone }) : null;
    return next ?? { code: 'WORKFLOW_NO_TIME_ZONE', message: 'The time zone of the contact is not known.' };
  }
  const moment = fillValue(until, lookup);
  if (typeof moment === 'string' && isInstant(moment)) return new Date(moment).toISOString();
  return { code: 'WORKFLOW_NO_MOMENT', message: 'What it should wait for is no date-time.' };
}

export const waitForReply = (context: Context, action: ActionOf<'wait_for_reply'>): Next =>
  open(context, action, 'reply', [messageReceived], later(context, action.timeoutSeconds));

export function waitForEvent(context: Context, action: ActionOf<'wait_for_event'>): Next {
  const names = new Set(action.eventTypes.flatMap((type) => context.program.nameOf(type) ?? []));
  return open(context, action, 'event', [...names], later(context, action.timeoutSeconds));
}

function open(
  context: Context,
  action: Waiting,
  kind: Wait['kind'],
  names: string[],
  wakeAt: string,
): Outcome {
  const { state } = context;
  const { path, frame } = standing(context);
  const wait = { kind, names, wakeAt, position: state.position, path: `${path}[${frame.at}]` };
  state.waiting = wait;
  tell(context, action, { outcome: 'waiting' });
  return { kind: 'wait', wait };
}

/** Whether the event is one that is waited for; or what must be known to say so. */
function meets(context: Context, action: Awaiting, { type, data }: LoggedEvent): boolean | Outcome {
  const { waiting } = context.state;
  if (!waiting?.names.includes(type)) return false;
  if (type === messageReceived && asksToStop(data)) return false;
  if (action.type === 'wait_for_reply') return true;
  const written = isObject(data) ? data.eventType : null;
  if (type === customEvent && !action.eventTypes.includes(written as string)) return false;
  const match = action.match ?? [];
  const missing = need(context, factsNeeded(match));
  if (missing) return missing;
  const remembered = { ...context.memory, error: context.state.error };
  return judgeConditions(match, { ...context.facts, event: data }, remembered).holds;
}

export function hearEvent(context: Context, action: Awaiting, event: LoggedEvent): Next {
  const met = meets(context, action, event);
  if (met !== true) return met || { kind: 'unchanged' };
  const { state } = context;
  const messageSid = event.type === messageReceived ? messageSidOf(event.data) : null;
  state.waiting = null;
  if (messageSid !== null) {
    state.messageSid = messageSid;
    context.facts = { ...context.facts, message: event.data };
  }
  if (!keep(context, action, event, messageSid)) return failStep(context, action, tooLarge);
  const output = { eventSid: event.sid, ...(messageSid !== null && { messageSid }) };
  return finish(context, action, 'done', { output });
}

/** What the definition wants to know of the event later; false where there is no room for it. */
function keep(context: Context, action: Awaiting, event: LoggedEvent, messageSid: string | null): boolean {
  const { id, save } = action;
  const { memory, program } = context;
  const isCited = id !== undefined && program.keptReplies.has(id) && messageSid !== null;
  if (isCited && !remember(context, { ...memory, replies: { ...memory.replies, [id]: messageSid } }))
    return false;
  if (save === undefined) return true;
  const { sid, type, data } = event;
  const saved = action.type === 'wait_for_reply' ? replyOf(data) : { eventSid: sid, type, data };
  return setVariable(context, save, saved);
}

/** The wait is over by itself. */
export function wake(context: Context, action: Waiting): Next {
  const { state, facts } = context;
  if (Date.parse(facts.now) < Date.parse(state.waiting!.wakeAt)) return { kind: 'unchanged' };
  state.waiting = null;
  if (action.type === 'wait') return finish(context, action, 'done');
  const inner = action.onTimeout ?? [];
  finish(context, action, 'timed_out');
  if (inner.length === 0) return null;
  // Its list is gone through before what follows: the run still stands at the wait.
  state.frames.at(-1)!.at -= 1;
  state.frames.push({ in: 'onTimeout', at: 0 });
  return null;
}

/** A list inside an action was gone through. */
export function leaveList(context: Context, action: { type: string } | undefined): void {
  context.state.frames.pop();
  // A repeat is looked at again: whether there is another round is its own step.
  if (action?.type !== 'repeat') goOn(context);
}

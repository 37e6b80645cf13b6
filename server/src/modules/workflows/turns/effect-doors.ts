// What carries out one type of effect, for many runs at once, each with its own end.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ApiError } from '../../../platform/errors/errors.ts';
import { announcementOf } from '../../../platform/events.ts';
import type { Conversation } from '../../conversations/index.ts';
import { currentConversations } from '../../conversations/index.ts';
import type { Effect, EffectType } from '../interpreter/effects.ts';
import { conversationIn } from '../runs/event-data.ts';
import type { StandingEffect } from '../runs/run-rows.ts';
import type { Walk } from './walk.ts';

export type StepFault = { code: string; message: string };

export type Done =
  | { output: Record<string, unknown>; eventSid: string | null }
  | { error: StepFault }
  /** It is not done yet: it is tried again then, or its answer is given up then. */
  | { effect: StandingEffect; at: Date };

export type Task<T extends EffectType> = {
  [K in T]: { walk: Walk; effect: Extract<Effect, { type: K }> };
}[T];

/** The end of each task, in their order. */
export type Door<T extends EffectType> = (t: TenantTx, tasks: Task<T>[]) => Promise<Done[]>;

export function faultOf(error: ApiError): StepFault {
  const [detail] = error.facts.details ?? [];
  const said = detail ? ` ${detail.path}: ${detail.issue}` : '';
  return { code: error.code, message: `${error.message}${said}` };
}

/** `about` is the very object that was announced. */
export const doneBy = (about: object, output: Record<string, unknown>): Done => ({
  output,
  eventSid: announcementOf(about)?.eventSid ?? null,
});

export const noContact: StepFault = {
  code: 'WORKFLOW_NO_CONTACT',
  message: 'The run is about no contact.',
};
export const noConversation: StepFault = {
  code: 'WORKFLOW_NO_CONVERSATION',
  message: 'There is no conversation with the contact.',
};

/** The conversation each run is about: that of its event, or the contact's latest. */
export function conversationsOf(t: TenantTx, walks: readonly Walk[]): Promise<(Conversation | null)[]> {
  return currentConversations(
    t,
    walks.map(({ run }) => ({ conversationSid: conversationIn(run.eventData), contactSid: run.contactSid })),
  );
}

/** Does those for whom `subject` finds something; the others end with the fault. */
export async function forThose<T extends EffectType, S>(
  tasks: Task<T>[],
  subjects: (S | null)[],
  fault: StepFault,
  work: (able: (Task<T> & { subject: S })[]) => Promise<Done[]>,
): Promise<Done[]> {
  const able = tasks.flatMap((task, at) => {
    const subject = subjects[at] ?? null;
    return subject === null ? [] : [{ ...task, subject } as Task<T> & { subject: S }];
  });
  const ends = (able.length > 0 ? await work(able) : []).values();
  return subjects.map((subject) => (subject === null ? { error: fault } : ends.next().value!));
}

/** Does those that have a contact. */
export const forContacts = <T extends EffectType>(
  tasks: Task<T>[],
  work: (able: (Task<T> & { subject: string })[]) => Promise<Done[]>,
) =>
  forThose(
    tasks,
    tasks.map(({ walk }) => walk.run.contactSid),
    noContact,
    work,
  );

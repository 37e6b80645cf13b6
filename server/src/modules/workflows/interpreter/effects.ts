// What a run wants done in the world, as plain data: every value is filled in, and whoever carries it out looks up nothing else.
import { fieldNames } from '../../contacts/index.ts';
import { judgeUnaddressed, type UnaddressedMessage } from '../../messages/index.ts';
import type { Action, ActionOf, ActionType } from '../definition/actions.ts';
import { fillTexts, fillValue, type Lookup } from './fill.ts';

export const defaultAnswerSeconds = 60;

type Empty = Record<never, never>;
type Effects = {
  send_message: { message: UnaddressedMessage; holdForAgent: boolean };
  set_contact: { attributes: Record<string, unknown>; fields: Record<string, string | null> };
  record_consent: { purpose: string; status: string; messageSid: string | null; wording: string | null };
  suppress: { scope: 'MARKETING' | 'ALL'; reason: string };
  assign_conversation: { assigneeSid: string | null } | { by: 'roundRobin' | 'leastOpen' };
  move_conversation: { inboxSid: string | null };
  close_conversation: Empty;
  reopen_conversation: Empty;
  http_request: { endpointSid: string; body: object; timeoutSeconds: number };
  notify: { userSids: string[] } | { inboxSid: string } | { assignee: true };
  start_workflow: { workflowSid: string };
};
export type EffectType = keyof Effects;
export type Effect = { [T in EffectType]: { type: T } & Effects[T] }[EffectType];

export type Refusal = { code: string; message: string };

/** What filling an action takes: values by path, and the messages that replied to steps. */
export type Filling = { lookup: Lookup; replies: Record<string, string> };

type Makers = { [T in EffectType]: (action: ActionOf<T>, filling: Filling) => Effects[T] | Refusal };

const makers: Makers = {
  send_message({ message, holdForAgent = true }, { lookup }) {
    const filled = fillTexts(message, lookup) as UnaddressedMessage;
    const [fault] = judgeUnaddressed(filled);
    if (!fault) return { message: filled, holdForAgent };
    return { code: 'VALIDATION_ERROR', message: `message.${fault.path}: ${fault.issue}` };
  },
  set_contact({ attributes = {}, ...action }, { lookup }) {
    const given = fieldNames.filter((name) => action[name] !== undefined);
    const filled = Object.entries(attributes).map(([name, value]) => [name, fillValue(value, lookup)]);
    const fields = given.map((name) => [name, fillValue(action[name], lookup)] as const);
    const strange = fields.find(([, value]) => value !== null && typeof value !== 'string');
    if (strange) return { code: 'VALIDATION_ERROR', message: `${strange[0]}: must be string or null` };
    return {
      attributes: Object.fromEntries(filled),
      fields: Object.fromEntries(fields) as Record<string, string | null>,
    };
  },
  record_consent({ purpose, status, reply, wording }, { lookup, replies }) {
    const messageSid = reply !== undefined && Object.hasOwn(replies, reply) ? replies[reply]! : null;
    if (status === 'OPTED_IN' && messageSid === null)
      return { code: 'WORKFLOW_NO_REPLY', message: `Nobody replied to ${reply} in this run.` };
    const words = wording === undefined ? null : (fillValue(wording, lookup) as string);
    return { purpose, status, messageSid, wording: words?.slice(0, 4_096).toWellFormed() ?? null };
  },
  suppress: ({ scope, reason = 'TENANT_BLOCKLIST' }) => ({ scope, reason }),
  assign_conversation: ({ assigneeSid, roundRobin }) =>
    assigneeSid === undefined ? { by: roundRobin ? 'roundRobin' : 'leastOpen' } : { assigneeSid },
  move_conversation: ({ inboxSid }) => ({ inboxSid }),
  close_conversation: () => ({}),
  reopen_conversation: () => ({}),
  http_request: ({ endpointSid, body = {}, timeoutSeconds = defaultAnswerSeconds }, { lookup }) => ({
    endpointSid,
    body: fillTexts(body, lookup) as object,
    timeoutSeconds,
  }),
  notify: ({ userSids, inboxSid }) =>
    userSids ? { userSids } : inboxSid ? { inboxSid } : { assignee: true as const },
  start_workflow: ({ workflowSid }) => ({ workflowSid }),
};

export const isEffect = (type: ActionType): type is EffectType => Object.hasOwn(makers, type);

/** The effect of an action, or why there can be none. */
export function effectOf(action: Extract<Action, { type: EffectType }>, filling: Filling): Effect | Refusal {
  const make = makers[action.type] as (action: Action, filling: Filling) => object;
  const made = make(action, filling);
  return 'code' in made ? (made as Refusal) : ({ type: action.type, ...made } as Effect);
}

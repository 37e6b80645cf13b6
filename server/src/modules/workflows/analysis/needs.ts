// What a definition needs of whoever publishes it, and of the event log.
import { answering } from '../../conversations/index.ts';
import type { ActionType, Definition } from '../definition/actions.ts';
import { actionsOf } from '../definition/walk.ts';
import type { Catalogue } from '../grammar/catalogue.ts';
import { messageReceived } from '../interpreter/replies.ts';

const running = 'inboxes:write';
const people = 'contacts:write';

/** What an operation that does the same asks for. Actions that touch nothing outside the run need no scope. */
const scopes: Partial<Record<ActionType, string>> = {
  send_message: 'messages:send',
  set_contact: people,
  record_consent: people,
  suppress: people,
  assign_conversation: answering,
  close_conversation: answering,
  reopen_conversation: answering,
  move_conversation: running,
  http_request: 'webhooks:write',
  notify: running,
  start_workflow: running,
};

export type NeededScope = { path: string; scope: string };

/** The scope each action needs, with its place. */
export function scopesOf(definition: Definition): NeededScope[] {
  return [...actionsOf(definition)].flatMap(({ action, path }) => {
    const scope = scopes[action.type];
    return scope === undefined ? [] : [{ path, scope }];
  });
}

/** The scopes its publisher must hold, and its runs act with. */
export const neededScopes = (definition: Definition): string[] =>
  [...new Set(scopesOf(definition).map(({ scope }) => scope))].sort();

const namesOf = (types: string[], { nameOf }: Catalogue) => types.flatMap((type) => nameOf(type) ?? []);

/** The events that start it, by their names in the log. */
export const eventNamesOf = ({ trigger }: Definition, catalogue: Catalogue): string[] => [
  ...new Set(namesOf(trigger.eventTypes, catalogue)),
];

/** The events its runs may wait for, by their names in the log. */
export function waitedNamesOf(definition: Definition, catalogue: Catalogue): string[] {
  const names = [...actionsOf(definition)].flatMap(({ action }) => {
    if (action.type === 'wait_for_reply') return [messageReceived];
    return action.type === 'wait_for_event' ? namesOf(action.eventTypes, catalogue) : [];
  });
  return [...new Set(names)].sort();
}

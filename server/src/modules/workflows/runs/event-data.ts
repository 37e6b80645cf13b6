// What the data of an event says of people and conversations, whatever kind of event it is.
import type { IdentifierType, NamedContact } from '../../contacts/index.ts';
import { isObject } from '../definition/predicates.ts';

const member = (data: unknown, name: string): unknown =>
  isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;

const textAt = (data: unknown, name: string): string | null => {
  const value = member(data, name);
  return typeof value === 'string' ? value : null;
};

const isA = (data: unknown, object: string) => member(data, 'object') === object;

/** The contact it is about; a merge is about whoever is left. */
export function contactIn(data: unknown): string | null {
  if (isA(data, 'contact')) return textAt(data, 'sid');
  return (
    textAt(data, 'contactSid') ??
    textAt(member(data, 'to'), 'contactSid') ??
    textAt(data, 'survivorContactSid')
  );
}

/** The address of whoever wrote a message, or was written to. */
export function addressIn(data: unknown): NamedContact['address'] {
  const to = isA(data, 'message') ? member(data, 'to') : undefined;
  const [identifierType, value] = [textAt(to, 'identifierType'), textAt(to, 'value')];
  return identifierType === null || value === null
    ? null
    : { identifierType: identifierType as IdentifierType, value };
}

/** The run that did it, where it says so itself. */
export const runIn = (data: unknown): string | null => textAt(data, 'workflowRunSid');

export const conversationIn = (data: unknown): string | null =>
  isA(data, 'conversation') ? textAt(data, 'sid') : textAt(data, 'conversationSid');

export function senderIn(data: unknown): string | null {
  if (isA(data, 'message')) return textAt(data, 'from');
  return textAt(data, 'senderSid');
}

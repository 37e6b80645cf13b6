// The events workflows hear, under the names definitions write them by.
import type { TSchema } from 'typebox';
import type { EventType } from '../../../platform/events.ts';
import { nameOf } from '../../../platform/http/input/schema.ts';
import { Message } from '../../messages/index.ts';
import { contentObjects } from '../../provider/index.ts';
import { CustomEvent } from '../definition/schema.ts';
import { meant } from './nearest.ts';

/**
 * Whoever may write workflows may read these through them. Roles, approvals, keys, operations, webhooks, money and workflows
 * themselves are not among them: `inboxes:write` is no right to read those.
 */
const families = new Set([
  'message',
  'conversation',
  'contact',
  'consent',
  'suppression',
  'template',
  'sender',
  'waba',
  'media',
  'flow',
]);

/** Every custom event is logged as this one; its data says which it is. */
export const customEvent = 'custom.event';
const customForm = /^CUSTOM_[A-Z0-9_]{1,57}$/;

export type Catalogue = {
  /** The event's name in the log; null for one that workflows do not hear. */
  nameOf(written: string): string | null;
  /** What its data looks like. */
  schemaOf(written: string): TSchema | null;
  /** Why a definition must not name it; null where it may. */
  issueOf(written: string): string | null;
};

/** `message.received` is written `MESSAGE_RECEIVED`. */
export const writtenAs = (name: string) => name.toUpperCase().replaceAll('.', '_');

/** A message, with what its text looks like: the contract leaves that open, and every text we tell has a body. */
export const MessageFields = { ...Message, properties: { ...Message.properties, text: contentObjects.text } };

const fieldsOf = ({ schema }: EventType) => (nameOf(schema) === nameOf(Message) ? MessageFields : schema);

/** From what the modules declare. */
export function readCatalogue(types: EventType[]): Catalogue {
  const all = new Map(types.map((type) => [writtenAs(type.name), type]));
  const heard = new Map([...all].filter(([, { name }]) => families.has(name.split('.')[0]!)));
  return {
    nameOf: (written) => (customForm.test(written) ? customEvent : (heard.get(written)?.name ?? null)),
    schemaOf(written) {
      const type = heard.get(written);
      return customForm.test(written) ? CustomEvent : type ? fieldsOf(type) : null;
    },
    issueOf(written) {
      if (heard.has(written) || customForm.test(written)) return null;
      if (all.has(written)) return 'is an event that workflows do not hear';
      return `is not an event type${meant(written, heard.keys())}`;
    },
  };
}

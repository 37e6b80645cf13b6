// The data of events that did not happen: the samples of the catalogue, made to be about whom and what the test names.
import type { Tenant } from '../../../platform/db/database.ts';
import { newSid } from '../../../platform/ids.ts';
import { sampleIn } from '../../../platform/samples.ts';
import { isObject } from '../definition/predicates.ts';
import type { CustomEvent } from '../definition/schema.ts';
import { customEvent } from '../grammar/catalogue.ts';
import { knownCatalogue, knownEvent } from '../grammar/known-events.ts';
import { messageReceived } from '../interpreter/replies.ts';

/** Whom and what a test is about: as their operations answer with them, or null for somebody made up. */
export type About = {
  contact: (object & { sid: string }) | null;
  conversation: (object & { sid: string }) | null;
  message: (object & { sid: string }) | null;
};

type Told = { eventType: string; given: Record<string, unknown>; now: Date };

/** What an event of this type says; what is given stands in the place of what the sample says. */
export function dataOf(tenant: Tenant, about: About, { eventType, given, now }: Told): object {
  const name = knownCatalogue().nameOf(eventType)!;
  if (name === customEvent) return customData(tenant, about, { eventType, given, now });
  const family = name.split('.')[0]!;
  const real = family in about ? about[family as keyof About] : null;
  const base = real ?? fitted(tenant, about, name, now);
  const said = family === 'message' && isObject(given.text) ? { type: 'text', content: given.text } : {};
  return { ...base, ...said, ...given };
}

function customData(tenant: Tenant, { contact }: About, { eventType, given, now }: Told): CustomEvent {
  const sample = sampleIn(tenant, knownEvent(customEvent).sample as CustomEvent);
  const contactSid = contact?.sid ?? sample.contactSid;
  return { ...sample, eventType, contactSid, payload: given, createdAt: now.toISOString() };
}

/** A sample that names the contact and the conversation of the test. */
function fitted(tenant: Tenant, { contact, conversation }: About, name: string, now: Date): object {
  const sample = sampleIn(tenant, knownEvent(name).sample) as Record<string, unknown>;
  const has = (member: string) => Object.hasOwn(sample, member);
  return {
    ...sample,
    ...(contact && has('contactSid') && { contactSid: contact.sid }),
    ...(contact && isObject(sample.to) && { to: { ...sample.to, contactSid: contact.sid } }),
    ...(conversation && has('conversationSid') && { conversationSid: conversation.sid }),
    ...(has('createdAt') && { createdAt: now.toISOString() }),
  };
}

type Reply = { text?: string; message?: Record<string, unknown> };

/** What the contact would have written. */
export function replyData(tenant: Tenant, about: About, { text, message = {} }: Reply, now: Date) {
  const given = {
    ...(text !== undefined && { text: { body: text } }),
    ...message,
    sid: newSid('SM', now),
  };
  const anybody = { ...about, message: null };
  return dataOf(tenant, anybody, { eventType: 'MESSAGE_RECEIVED', given, now });
}

/** The sample of a resource, for a test that names none. */
export const sampleOf = (tenant: Tenant, what: keyof About): object =>
  sampleIn(
    tenant,
    knownEvent(
      { contact: 'contact.created', conversation: 'conversation.opened', message: messageReceived }[what],
    ).sample,
  );

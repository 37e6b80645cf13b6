// The world of a test run: what is really there, what the test says instead, and what the run itself has changed. Nothing of it is
// written down anywhere.
import type { TenantTx } from '../../../platform/db/database.ts';
import { newSid } from '../../../platform/ids.ts';
import type { Facts } from '../conditions/facts.ts';
import type { RunFacts } from '../definition/schema.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import type { Effect } from '../interpreter/effects.ts';
import { messageReceived } from '../interpreter/replies.ts';
import type { LoggedEvent, Wait } from '../interpreter/state.ts';
import { loadFacts } from '../runs/facts.ts';
import { atMoment } from './moment.ts';
import { type About, dataOf, replyData, sampleOf } from './samples-of-events.ts';
import type { Simulation } from './schema.ts';

const windowMs = 24 * 60 * 60 * 1000;

type Happening = { name: string; afterSeconds: number; dataAt(now: Date): object };

export type World = ReturnType<typeof createWorld>;

export type Setting = { about: About; simulation: Simulation; event: object; startAt: Date; run: RunFacts };

export function createWorld(t: TenantTx, { about, simulation, event, startAt, run }: Setting) {
  const { nameOf } = knownCatalogue();
  const happenings: Happening[] = [
    ...(simulation.replies ?? []).map((reply) => ({
      name: messageReceived,
      afterSeconds: reply.afterSeconds ?? 1,
      dataAt: (now: Date) => replyData(t, about, reply, now),
    })),
    ...(simulation.events ?? []).map(({ eventType, data = {}, afterSeconds = 1 }) => ({
      name: nameOf(eventType)!,
      afterSeconds,
      dataAt: (now: Date) => dataOf(t, { ...about, message: null }, { eventType, given: data, now }),
    })),
  ];
  const said = new Map<string, object>();
  const changed: Changes = { contact: {}, attributes: {}, conversation: {}, answers: {} };
  let wroteAt: Date | null = null;
  const hear = (name: string, data: object, at: Date) => {
    if (name !== messageReceived) return;
    wroteAt = at;
    said.set((data as { sid: string }).sid, data);
  };
  if (run.eventType !== null) hear(nameOf(run.eventType)!, event, startAt);
  const given = Object.entries(simulation.answers ?? {}).filter(
    (entry): entry is [string, boolean | string] => typeof entry[1] !== 'object',
  );

  return {
    factsAt: (now: Date, running = true): Facts => ({
      now: now.toISOString(),
      run: running ? run : null,
      event,
    }),

    /** Whether the contact wrote in this test within the last 24 hours. */
    isWindowOpen: (now: Date) => wroteAt !== null && now.getTime() - wroteAt.getTime() < windowMs,

    /** Adds what is asked for. */
    async load(facts: Facts, needs: string[], messageSid: string | null): Promise<void> {
      const now = new Date(facts.now);
      if (about.contact === null) imagine(t, facts, needs, about);
      else {
        const asker = { facts, contactSid: about.contact.sid, messageSid, needs };
        await loadFacts(atMoment(t, now), [asker]);
        if (about.conversation && facts.conversation !== undefined) facts.conversation = about.conversation;
      }
      if (needs.includes('message')) facts.message = said.get(messageSid ?? '') ?? facts.message ?? null;
      apply(facts, changed);
      const window: Record<string, string> = this.isWindowOpen(now) ? { window: 'open' } : {};
      facts.answers = { ...facts.answers, ...window, ...changed.answers, ...Object.fromEntries(given) };
    },

    /** What ends the wait from outside, and when; what does not match is passed over. */
    next({ names }: Wait, since: Date): { at: Date; event: LoggedEvent } | null {
      const heard = happenings.filter(({ name }) => names.includes(name));
      const [first] = heard.toSorted((a, b) => a.afterSeconds - b.afterSeconds);
      if (!first) return null;
      happenings.splice(happenings.indexOf(first), 1);
      const at = new Date(since.getTime() + first.afterSeconds * 1_000);
      const data = first.dataAt(at);
      hear(first.name, data, at);
      return { at, event: { sid: newSid('EV', at), type: first.name, data } };
    },

    /** What the run has done, as what follows finds it. */
    change: (effect: Effect) => note(changed, effect),
  };
}

/** A test about nobody: the samples, and somebody who has written and agreed to nothing. */
function imagine(t: TenantTx, facts: Facts, needs: string[], about: About): void {
  if (needs.includes('contact')) facts.contact = sampleOf(t, 'contact');
  if (needs.includes('conversation')) facts.conversation = about.conversation ?? sampleOf(t, 'conversation');
  if (needs.includes('message')) facts.message = about.message ?? sampleOf(t, 'message');
  const answers: Record<string, boolean | string> = {};
  for (const name of needs) {
    if (name === 'window') answers[name] = 'open';
    if (name === 'suppressed' || name.startsWith('segment:')) answers[name] = false;
    if (name.startsWith('consent:')) answers[name] = 'UNKNOWN';
  }
  facts.answers = { ...facts.answers, ...answers };
}

type Changes = {
  contact: Record<string, string | null>;
  attributes: Record<string, unknown>;
  conversation: Record<string, unknown>;
  answers: Record<string, boolean | string>;
};

function apply(facts: Facts, { contact, attributes, conversation }: Changes): void {
  if (facts.contact) {
    const { attributes: before = {} } = facts.contact as { attributes?: object };
    const all = Object.entries({ ...before, ...attributes }).filter(([, value]) => value !== null);
    facts.contact = { ...facts.contact, ...contact, attributes: Object.fromEntries(all) };
  }
  if (facts.conversation) facts.conversation = { ...facts.conversation, ...conversation };
}

function note(changed: Changes, effect: Effect): void {
  switch (effect.type) {
    case 'set_contact':
      Object.assign(changed.contact, effect.fields);
      Object.assign(changed.attributes, effect.attributes);
      return;
    case 'record_consent':
      changed.answers[`consent:${effect.purpose}`] = effect.status;
      return;
    case 'suppress':
      changed.answers.suppressed = true;
      return;
    case 'assign_conversation':
      if ('assigneeSid' in effect) changed.conversation.assigneeSid = effect.assigneeSid;
      return;
    case 'move_conversation':
      changed.conversation.inboxSid = effect.inboxSid;
      return;
    case 'close_conversation':
      changed.conversation.status = 'CLOSED';
      return;
    case 'reopen_conversation':
      changed.conversation.status = 'OPEN';
  }
}

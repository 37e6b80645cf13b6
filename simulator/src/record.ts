// What was accepted, in full for the newest and by count for all: the proof that nothing was handed off twice.
import { createRing } from './callbacks/ring.ts';
import type { Wire } from './http/shape.ts';

export type MessageEvent = {
  status: string;
  atMs: number;
  callback: 'PENDING' | 'DELIVERED' | 'RETRYING' | 'NOT_SENT';
};

export type AcceptedMessage = {
  sequence: number;
  id: string;
  wabaId: string;
  businessId: string;
  phoneNumberId: string;
  endpoint: 'messages' | 'marketing_messages';
  /** The recipient's digits; also when addressed by user id, as far as known. */
  waId: string;
  userId: string;
  addressedBy: 'phone' | 'user_id';
  type: string;
  opaque: string | null;
  atMs: number;
  /** The error it will fail with; null when it goes its way. */
  failure: number | null;
  /** When it was dropped because it could not be delivered in time. */
  droppedMs: number | null;
  body: Wire;
  events: MessageEvent[];
};

/** What a customer sent to a number. */
export type WrittenMessage = {
  id: string;
  wabaId: string;
  phoneNumberId: string;
  waId: string;
  type: string;
  content: Wire;
  /** The message it answers. */
  answers: string | null;
  /** How many messages of businesses had been accepted: many things happen at one instant. */
  after: number;
  atMs: number;
};

/** A call that changes something other than by sending a message: what was asked of which object, and what came of it. */
export type Command = {
  method: string;
  /** The last part of the path, such as register; "node" for a call on an object itself. */
  path: string;
  id: string;
  /** The id it answered with. */
  made: string | null;
  /** The code it was refused with, the subcode where there is one. */
  refusal: number | null;
  atMs: number;
};

export type Records = ReturnType<typeof createRecords>;

const mostMessages = 50_000;
const mostWritten = 20_000;
const mostCommands = 20_000;

export function createRecords(most = mostMessages) {
  const byId = new Map<string, AcceptedMessage>();
  const byOpaque = new Map<string, AcceptedMessage[]>();
  const refusals: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  let repeatedOpaque = 0;

  const messages = createRing<AcceptedMessage>({
    most,
    onLeave({ id, opaque }) {
      byId.delete(id);
      if (opaque === null) return;
      const same = byOpaque.get(opaque)!;
      if (same.length === 1) byOpaque.delete(opaque);
      else same.shift();
    },
  });

  const written = createRing<WrittenMessage>({ most: mostWritten });
  const commands = createRing<Command>({ most: mostCommands });

  return {
    messages,
    written,
    commands,
    accept(message: AcceptedMessage): void {
      byId.set(message.id, message);
      const { opaque } = message;
      if (opaque !== null) {
        const same = byOpaque.get(opaque);
        if (same) {
          repeatedOpaque += 1;
          same.push(message);
        } else byOpaque.set(opaque, [message]);
      }
      messages.add(message);
    },
    refused(code: number): void {
      refusals[code] = (refusals[code] ?? 0) + 1;
    },
    told(status: string): void {
      statuses[status] = (statuses[status] ?? 0) + 1;
    },
    find: (id: string) => byId.get(id),
    /** The last ones, newest first. */
    newest: (count: number) => messages.page(Math.max(messages.total() - count, 0), count).items.reverse(),
    /** Of what a person was sent it stays known that it was, by the caller's reference. */
    forget(waId: string, wabaIds: ReadonlySet<string> | null): number {
      let count = 0;
      const stays = (message: { waId: string; wabaId: string }) =>
        message.waId !== waId || wabaIds?.has(message.wabaId) === false;
      messages.change((message) => {
        if (stays(message)) return message;
        count += 1;
        const blank = { ...message, id: `forgotten-${message.sequence}`, waId: '', userId: '', body: {} };
        byId.delete(message.id);
        const same = message.opaque === null ? [] : byOpaque.get(message.opaque)!;
        same.splice(same.indexOf(message), same.length > 0 ? 1 : 0, blank);
        return blank;
      });
      const nobody = { waId: '', id: '', content: {}, answers: null };
      written.change((message) => (stays(message) ? message : { ...message, ...nobody }));
      return count;
    },
    withOpaque: (opaque: string) => byOpaque.get(opaque) ?? [],
    counts: () => ({ accepted: messages.total(), kept: messages.kept(), repeatedOpaque, refusals, statuses }),
    clear(): void {
      messages.clear();
      written.clear();
      commands.clear();
      byId.clear();
      byOpaque.clear();
      for (const counts of [refusals, statuses]) for (const key of Object.keys(counts)) delete counts[key];
      repeatedOpaque = 0;
    },
  };
}

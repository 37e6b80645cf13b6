// What a person wrote, as runs see it.
import { wishOf } from '../../messages/index.ts';
import { isObject } from '../definition/predicates.ts';

export const messageReceived = 'message.received';

/** The message an event is about, where it is one that a person wrote. */
export function messageSidOf(data: unknown): string | null {
  if (!isObject(data) || data.object !== 'message' || data.direction !== 'inbound') return null;
  return typeof data.sid === 'string' ? data.sid : null;
}

const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const textAt = (value: unknown, name: string): string | null => {
  const member = membersOf(value)[name];
  return typeof member === 'string' ? member : null;
};

/** What it says in words: a text, or what stood on the button that was pressed. */
const wordsOf = (content: unknown) =>
  textAt(content, 'body') ?? textAt(content, 'text') ?? textAt(content, 'title');

/** Whoever asks to be left alone answers no question by it. */
export function asksToStop(message: unknown): boolean {
  const { type, content } = membersOf(message);
  const said = type === 'text' || type === 'button' ? wordsOf(content) : null;
  return said !== null && wishOf(said) === 'stop';
}

const longestKept = 1_000;

/** A reply as a variable keeps it: small whatever was written, since a long letter must not fail a run. */
export function replyOf(message: unknown) {
  const { type, content, createdAt } = membersOf(message);
  return {
    messageSid: messageSidOf(message),
    type: typeof type === 'string' ? type : null,
    text: wordsOf(content)?.slice(0, longestKept).toWellFormed() ?? null,
    /** The id of the button or row that was chosen. */
    choice: (textAt(content, 'id') ?? textAt(content, 'payload'))?.slice(0, 256).toWellFormed() ?? null,
    receivedAt: typeof createdAt === 'string' ? createdAt : null,
  };
}

// What SDKs call an operation, `x-sdk` in the document: `messages.cancel` for `cancelMessage` under the heading «Messages». A
// generator in any language needs no list of its own, and a new operation has its method the day it is declared.
import type { Operation } from '../operations/operation.ts';

/** Null for what only a browser can follow: it answers with a redirect and nothing else. */
export function sdkNameOf({ id, tag, sdk, responses }: Operation): string | null {
  if (!Object.keys(responses).some((status) => status.startsWith('2'))) return null;
  const words = tag.split(/[^A-Za-z0-9]+/).map(capitalized);
  return sdk ?? `${uncapitalized(words.join(''))}.${methodOf(id, words)}`;
}

/** The operation's id without what the heading says already: `listSenderPools` is `list` under «Sender pools». */
function methodOf(id: string, heading: string[]): string {
  const [verb, ...rest] = id.match(/[A-Z]?[a-z0-9]+/g)!;
  const said = prefixOf(rest, heading) || prefixOf(rest, heading.slice(-1));
  return [verb, ...rest.slice(said)].join('');
}

/** How many words at the beginning are those of the heading, whatever their number. */
function prefixOf(words: string[], heading: string[]): number {
  const differing = heading.findIndex((word, at) => singular(words[at] ?? '') !== singular(word));
  return differing === -1 ? heading.length : differing;
}

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/(ch|s|x)es$/, '$1')
    .replace(/s$/, '');

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase();
const uncapitalized = (word: string) => word[0]!.toLowerCase() + word.slice(1);

/** Methods that several operations would share, each with their ids; empty when every operation has its own. */
export function clashesOf(operations: Operation[]): Record<string, string[]> {
  const byName = Map.groupBy(operations, sdkNameOf);
  byName.delete(null);
  const clashing = [...byName].filter(([, sharing]) => sharing.length > 1);
  return Object.fromEntries(clashing.map(([name, sharing]) => [name, sharing.map(({ id }) => id)]));
}

// From the message of a campaign to the body for one person: texts name variables, `Hello {{firstName}}`, and a variable names what of
// a contact it is filled with. What is filled in is never looked at again.
import { ApiError, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { type Insertion, readText } from '../../../platform/wording/insertions.ts';
import type { CampaignMessage, CampaignVariable } from '../schema.ts';
import { type Definition, messagesOf } from './definition.ts';

/** What variables are filled with. */
export type Person = {
  contactSid: string;
  displayName: string | null;
  locale: string | null;
  attributes: Record<string, unknown>;
};

type Variables = Record<string, CampaignVariable>;

/** Every text in a value with the place it stands at. */
export function textsIn(value: unknown, path: string): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((member, at) => textsIn(member, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${path}.${name}`));
}

/** The names of the attributes that people are asked for. */
export const attributesOf = ({ variables = {} }: Definition): string[] => [
  ...new Set(Object.values(variables).flatMap(({ attribute }) => attribute ?? [])),
];

const isFilled = (message: CampaignMessage) =>
  textsIn(message, 'message').some(({ text }) => text.includes('{{'));

/** Whether any of its texts says something of whom it is sent to. */
export const namesPeople = (definition: Definition): boolean =>
  messagesOf(definition).some(({ message }) => isFilled(message));

/** The body that is sent to a person; or why there is none, each variable that has neither value nor fallback at its path. */
export type BodyMaker = (person: Person) => object | ApiError;

/** Made once for a message: one that names no variable is the same for everybody. */
export function bodyMaker(
  { variables = {}, from, senderPoolSid }: Definition,
  message: CampaignMessage,
): BodyMaker {
  const sender = { ...(from && { from }), ...(senderPoolSid && { senderPoolSid }) };
  if (!isFilled(message)) return ({ contactSid }) => ({ ...message, ...sender, contactSid });
  return (person) => {
    const missing = new Set<string>();
    const filled = fill(message, (insertion) => {
      const text = wordsOf(variables[insertion.path]!, person, insertion);
      if (text === null) missing.add(insertion.path);
      return text ?? '';
    });
    if (missing.size === 0) return { ...(filled as object), ...sender, contactSid: person.contactSid };
    const issue = 'has no value for this contact, and no fallback';
    return new ApiError('VALIDATION_ERROR', {
      details: [...missing].map((name) => ({ path: `variables.${name}`, issue })),
    });
  };
}

function fill(value: unknown, wordsFor: (insertion: Insertion) => string): unknown {
  if (typeof value === 'string') {
    const parts = readText(value);
    if (!Array.isArray(parts)) return value;
    return parts.map((part) => (typeof part === 'string' ? part : wordsFor(part))).join('');
  }
  if (Array.isArray(value)) return value.map((member) => fill(member, wordsFor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, wordsFor)]));
}

/** Lists, objects and blank texts say nothing to a person. */
function wordsOf(variable: CampaignVariable, person: Person, { fallback }: Insertion): string | null {
  const value =
    variable.attribute === undefined
      ? variable.field && person[variable.field]
      : Object.hasOwn(person.attributes, variable.attribute)
        ? person.attributes[variable.attribute]
        : null;
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return (fallback === '' ? variable.fallback : fallback) ?? null;
}

/** What is wrong with the texts of a message: they name variables that there are not, or none at all. */
export function judgeTexts(path: string, message: CampaignMessage, variables: Variables): ErrorDetail[] {
  return textsIn(message, path).flatMap(({ path: at, text }) => {
    const parts = readText(text);
    if (!Array.isArray(parts)) return [{ path: at, issue: parts.issue }];
    return parts.flatMap((part) =>
      typeof part === 'string' || Object.hasOwn(variables, part.path)
        ? []
        : [{ path: at, issue: `names ${part.path.slice(0, 64)}, which is not among variables` }],
    );
  });
}

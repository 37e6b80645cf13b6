// Whether a path names something: held against the schemas of what it begins with, so that a slip is found when a workflow is
// written and not weeks later, in the one run that comes by.
import type { TSchema } from 'typebox';
import { Contact } from '../../contacts/index.ts';
import { Conversation } from '../../conversations/index.ts';
import { RunFacts, StepError } from '../definition/schema.ts';
import { MessageFields } from './catalogue.ts';
import { meant } from './nearest.ts';

/** What paths may name at one place of a definition. */
export type Names = {
  /** What the data of `event` may look like: a path is a field when one of them has it. */
  events: TSchema[];
  /** Null before a run begins, when there is nothing but the event and whom it is about. */
  during: { vars: ReadonlySet<string>; steps: ReadonlySet<string> } | null;
};

const maxPathLength = 256;
const resources: Record<string, TSchema> = {
  contact: Contact,
  conversation: Conversation,
  message: MessageFields,
};
const ofRuns: Record<string, TSchema> = { run: RunFacts, error: StepError };
const early = ['event', ...Object.keys(resources)];
const roots = [...early, 'vars', 'steps', ...Object.keys(ofRuns)];

/** What is wrong with a path; null for one that names a field. */
export function pathIssue(path: string, names: Names): string | null {
  if (path.length > maxPathLength) return `must be at most ${maxPathLength} characters`;
  const [root, ...rest] = path.split('.') as [string, ...string[]];
  if (rest.includes('') || root === '')
    return `${path || 'an empty text'} is no path such as contact.displayName`;
  if (!roots.includes(root))
    return `${path} does not begin with one of ${roots.join(', ')}${meant(root, roots)}`;
  if (!names.during && !early.includes(root)) return `${root} is not known before the run begins`;
  if (root === 'vars') return setIssue(path, rest[0], names.during!.vars, 'no action sets the variable');
  if (root === 'steps') return stepIssue(path, rest, names.during!.steps);
  const schemas = root === 'event' ? names.events : [resources[root] ?? ofRuns[root]!];
  return fieldIssue(path, root, rest, schemas);
}

function setIssue(path: string, name: string | undefined, known: ReadonlySet<string>, says: string) {
  if (name === undefined) return `${path} names nothing; write ${path}.name`;
  return known.has(name) ? null : `${says} ${name}${meant(name, known)}`;
}

const inStep = ['outcome', 'output'];

function stepIssue(path: string, [id, part]: string[], steps: ReadonlySet<string>): string | null {
  const issue = setIssue(path, id, steps, 'no action has the id');
  if (issue || part === undefined || inStep.includes(part)) return issue;
  return `${path} is no field of a step: there are ${inStep.join(' and ')}${meant(part, inStep)}`;
}

type Json = {
  properties?: Record<string, TSchema>;
  items?: TSchema;
  oneOf?: TSchema[];
  anyOf?: TSchema[];
  type?: string | string[];
};

function fieldIssue(path: string, root: string, segments: string[], schemas: TSchema[]): string | null {
  let level = schemas.flatMap(branchesOf);
  let before = root;
  for (const segment of segments) {
    if (level.some(isOpen)) return null;
    const next = level.flatMap((schema) => memberOf(schema, segment));
    if (next.length === 0) {
      const names = level.flatMap(({ properties }) => Object.keys(properties ?? {}));
      return `${path} is no field${meant(segment, names, `${before}.`)}`;
    }
    level = next.flatMap(branchesOf);
    before += `.${segment}`;
  }
  return null;
}

function branchesOf(schema: TSchema): Json[] {
  const json = schema as Json;
  const branches = json.oneOf ?? json.anyOf;
  return branches ? branches.flatMap(branchesOf) : [json];
}

/** An object whose members nobody declared. */
const isOpen = ({ type, properties, items }: Json) =>
  properties === undefined && items === undefined && (type === undefined || [type].flat().includes('object'));

function memberOf({ properties, items }: Json, segment: string): TSchema[] {
  if (items !== undefined) return /^\d{1,4}$/.test(segment) ? [items] : [];
  return properties && Object.hasOwn(properties, segment) ? [properties[segment]!] : [];
}

// The generated half of the TypeScript SDK.
import {
  type Field,
  type Group,
  type Method,
  ofAccount,
  resolved,
  type Schema,
  type Shapes,
} from './read-api.ts';
import { type Options, typeText } from './type-text.ts';

const head = '// Generated from the declared operations by "npm run generate". Changes belong there.\n';
const width = 110;

const capitalized = (text: string) => text[0]!.toUpperCase() + text.slice(1);
export const classOf = ({ name }: Group) => `${capitalized(name)}Api`;
/** How methods name shapes: they are imported together, so that a new one changes no list of imports. */
const imported: Options = { open: false, from: 'models.', indent: '  ' };
const queryOf = ({ id }: Method) => `${capitalized(id)}Query`;

/** A comment, in lines that fit. */
function note(indent: string, ...paragraphs: string[]): string {
  const room = width - indent.length - 3;
  const lines = paragraphs
    .filter((text) => text !== '')
    .flatMap((text, at) => [...(at > 0 ? [''] : []), ...wrapped(text.replaceAll('*/', '*∕'), room)]);
  if (lines.length === 1 && lines[0]!.length < room - 3) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('');
  return `${indent}/**\n${body}${indent} */\n`;
}

function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function modelsText({ schemas, events, told }: Shapes): string {
  const models = Object.entries(schemas).map(([name, schema]) => {
    const text = typeText(schema, { open: told.has(name) });
    const comment = schema.description ? note('', schema.description) : '';
    return name === 'Event' ? eventText(schema, events) : `${comment}export type ${name} = ${text};\n`;
  });
  return [head, `import type { Other } from '../words/other.ts';\n`, ...models].join('\n');
}

/** Instead of what the document says of an event: its type tells what its data is. */
function eventText(schema: Shapes['schemas'][string], events: Shapes['events']): string {
  const { type: _type, data: _data, object: _object, ...common } = schema.properties;
  const required = schema.required.filter((name: string) => name in common);
  const shape = typeText({ ...schema, properties: common, required }, { open: true });
  const entries = events.map(
    ({ name, description, data }) =>
      `${note('  ', description)}  '${name}': ${typeText(data, { open: true, indent: '  ' })};\n`,
  );
  return [
    `/** What the data of an event is, by its type. */\nexport type EventData = {\n${entries.join('')}};\n`,
    'export type EventType = keyof EventData;\n',
    `${note('', 'An event of one type. `object` stands in answers of the API, and not in what webhooks bring; `sample` in what was sent to try an endpoint.')}export type EventOf<Type extends EventType> = ${shape.slice(0, -1)}  object?: 'event';\n  sample?: true;\n  type: Type;\n  data: EventData[Type];\n};\n`,
    `${note('', 'Any event. Types that came to the service later pass too: give a `switch` over `type` a `default`.')}export type Event = { [Type in EventType]: EventOf<Type> }[EventType];\n`,
  ].join('\n');
}

export function methodsText(groups: Group[]): string {
  const queries = groups.flatMap(({ methods }) =>
    methods.filter(({ queryFields }) => queryFields.length > 0).map((method) => queryText(method)),
  );
  const classes = groups.map((group) => {
    const methods = group.methods.map((method) => methodText(method));
    return `${note('', group.description)}export class ${classOf(group)} extends Api {\n${methods.join('\n')}}\n`;
  });
  return [
    head,
    `import { Api, at, type CallOptions, type Pages } from '../core/api.ts';\nimport type { Client } from '../core/client.ts';\nimport type * as models from './models.ts';\n`,
    ...queries,
    ...classes,
    apisText(groups),
  ].join('\n');
}

function queryText(method: Method): string {
  const members = method.queryFields.map(
    ({ name, schema, required }) => `  ${name}${required ? '' : '?'}: ${typeText(schema, imported)};\n`,
  );
  return `export type ${queryOf(method)} = {\n${members.join('')}};\n`;
}

function methodText(method: Method): string {
  const { name, summary, description, pathFields, queryFields, bodies } = method;
  const parameters = [
    ...pathFields.map((field) => `${field.name}: ${typeText(field.schema, imported)}`),
    ...(bodies.length > 0 ? [bodyParameter(bodies)] : []),
    ...(queryFields.length > 0 ? [`query${isNeeded(queryFields) ? '' : '?'}: ${queryOf(method)}`] : []),
    'options?: CallOptions',
  ];
  return [
    note('  ', `${summary}.`, description),
    `  ${name}(${parameters.join(', ')}): ${answerType(method)} {\n`,
    `    return ${callText(method)};\n`,
    '  }\n',
  ].join('');
}

/** A body whose members may all be left out may be left out itself, unless a condition asks for one of them. */
const isOptional = (schema: Schema) => {
  const { required = [], allOf = [] } = resolved(schema);
  return required.length === 0 && allOf.length === 0;
};

const isNeeded = (fields: Field[]) => fields.some(({ required }) => required);

function bodyParameter(schemas: Schema[]): string {
  const type = schemas.map((schema) => typeText(schema, imported)).join(' | ');
  return `body: ${type}${schemas.every(isOptional) ? ' = {}' : ''}`;
}

function answerType({ answer }: Method): string {
  if (answer.kind === 'nothing') return 'Promise<void>';
  if (answer.kind === 'raw') return 'Promise<Response>';
  const type = typeText(answer.schema, imported);
  if (answer.kind === 'json') return `Promise<${type}>`;
  return `Pages<${typeText(resolved(answer.schema).properties.data.items, imported)}, ${type}>`;
}

function callText({ verb, path, pathFields, queryFields, bodies, keyed, answer }: Method): string {
  const short = path.replace(ofAccount, '~');
  const address = pathFields.length > 0 ? `at\`${short.replaceAll('{', '${')}\`` : `'${short}'`;
  const query = queryFields.length > 0 ? 'query' : 'undefined';
  if (verb === 'GET') {
    const how = answer.kind === 'list' ? 'list' : answer.kind === 'raw' ? 'raw' : 'get';
    return `this.client.${how}(${address}, ${query}, options)`;
  }
  const rest = queryFields.length > 0 ? ', query' : '';
  if (verb === 'DELETE' && answer.kind === 'nothing' && !keyed && bodies.length === 0)
    return `this.client.remove(${address}, options${rest})`;
  return `this.client.${keyed ? 'keyed' : 'write'}('${verb}', ${address}, ${bodies.length > 0 ? 'body' : 'undefined'}, options${rest})`;
}

function apisText(groups: Group[]): string {
  const fields = groups.map(
    (group) => `${note('  ', group.description)}  readonly ${group.name}: ${classOf(group)};\n`,
  );
  const made = groups.map((group) => `    this.${group.name} = new ${classOf(group)}(client);\n`);
  return `/** Every operation of the API, by heading. */\nexport class Apis {\n${fields.join('')}\n  constructor(client: Client) {\n${made.join('')}  }\n}\n`;
}

/** Which method an operation is, and what calling it takes: for what shows people only what they may do. */
export function accessText(groups: Group[]): string {
  const entries = groups
    .flatMap(({ name, methods }) => methods.map((method) => ({ ...method, group: name })))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, group, name, scopes, alsoNeeds, stepUp }) => {
      const parts = [
        `method: '${group}.${name}'`,
        `scopes: [${scopes.map((scope) => `'${scope}'`).join(', ')}]`,
        ...(alsoNeeds ? [`alsoNeeds: '${alsoNeeds}'`] : []),
        ...(stepUp ? [`stepUp: '${stepUp}'`] : []),
      ];
      return `  ${id}: { ${parts.join(', ')} },\n`;
    });
  return `${head}
import type { Scope } from '../words/scopes.ts';

/** Any one of \`scopes\` suffices, and none is needed where there is none; \`alsoNeeds\` must be held beside it; \`stepUp\` is the action a second factor is asked for. */
export type Access = { method: string; scopes: readonly Scope[]; alsoNeeds?: Scope; stepUp?: string };

export const access = {
${entries.join('')}} as const satisfies Record<string, Access>;

export type OperationId = keyof typeof access;
`;
}

/** Which method asks what: for what shows people how a program asks the same. */
export function callsText(groups: Group[]): string {
  const entries = groups
    .flatMap(({ name: group, methods }) =>
      methods.map(({ verb, path, name }) => {
        const short = path.replace(ofAccount, '~').replaceAll(/\{\w+\}/g, '{}');
        return `  '${verb} ${short}': '${group}.${name}',\n`;
      }),
    )
    .sort();
  return `${head}
/** Verbs and paths, the account as \`~\` and what else varies as \`{}\`, with the method that asks for them. */
export const calls = {
${entries.join('')}} as const;
`;
}

export function wordListText(constant: string, type: string, comment: string, words: string[]): string {
  const lines = words.map((word) => `  '${word}',\n`).join('');
  return `${head}\nexport const ${constant} = [\n${lines}] as const;\n\n/** ${comment} */\nexport type ${type} = (typeof ${constant})[number];\n`;
}

export function ranksText(ranks: Record<string, number>): string {
  const lines = Object.entries(ranks).map(([status, rank]) => `  ${status}: ${rank},\n`);
  return `${head}\n/** How far along each status of a message is: it only ever moves to a higher rank. */\nexport const messageRanks = {\n${lines.join('')}} as const;\n`;
}

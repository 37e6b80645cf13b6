// A schema as a type of TypeScript. The schemas of the API are a small part of JSON Schema: what stands in none of them stops the
// generator instead of becoming `unknown`.
import { nameOfRef, type Schema } from './read-api.ts';

export type Options = {
  /** Words may be added to those that are known. */
  open: boolean;
  /** Before the name of a shape: `models.` where they are imported. */
  from?: string;
  indent?: string;
};

export function typeText(schema: Schema, options: Options): string {
  if (schema.$ref) return `${options.from ?? ''}${nameOfRef(schema)}`;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return wordsText(schema.enum, options);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) return union(branches.map((branch: Schema) => typeText(branch, options)));
  const types: string[] = [schema.type ?? []].flat();
  if (types.length === 0 && Object.keys(schema).every((key) => key === 'description')) return 'unknown';
  if (types.length === 0) throw new Error(`No type of TypeScript for ${JSON.stringify(schema)}.`);
  return union(types.map((type) => plainText(type, schema, options)));
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);

const union = (texts: string[]) => [...new Set(texts)].join(' | ');

function wordsText(words: unknown[], { open }: Options): string {
  const isOpen = open && words.filter((word) => word !== null).length > 1;
  return union([...words.map(literal), ...(isOpen ? ['Other'] : [])]);
}

function plainText(type: string, schema: Schema, options: Options): string {
  switch (type) {
    case 'string':
      return schema.contentMediaType === 'application/octet-stream' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return arrayText(typeText(schema.items, options));
    case 'object':
      return objectText(schema, options);
    default:
      throw new Error(`No type of TypeScript for ${type}.`);
  }
}

const arrayText = (item: string) => (/[ |{]/.test(item) ? `Array<${item}>` : `${item}[]`);

function objectText(schema: Schema, options: Options): string {
  const { properties, additionalProperties } = schema;
  const others =
    typeof additionalProperties === 'object' ? typeText(additionalProperties, options) : 'unknown';
  if (!properties) return `Record<string, ${others}>`;
  const { indent = '' } = options;
  const inner = { ...options, indent: `${indent}  ` };
  const required = new Set<string>(schema.required ?? []);
  const members = Object.entries<Schema>(properties).map(([name, property]) => {
    const note = property.description ? `${inner.indent}/** ${property.description} */\n` : '';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    return `${note}${inner.indent}${key}${required.has(name) ? '' : '?'}: ${typeText(property, inner)};\n`;
  });
  if (additionalProperties === true) members.push(`${inner.indent}[name: string]: unknown;\n`);
  return members.length > 0 ? `{\n${members.join('')}${indent}}` : 'Record<string, never>';
}

// What the document says once and refers to: a named schema stands among the components, and so does its sample.
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { nameOf } from '../input/schema.ts';

export type Json = Record<string, unknown>;

export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #examples = new Map<string, unknown>();

  /** As a reference where it has a name, else written out. */
  schema(schema: TSchema | Json): Json {
    const name = nameOf(schema as TSchema);
    if (name === undefined) return this.#write(schema as Json);
    if (!isNullable(schema as Json)) return this.#refer(name, schema as Json);
    return { anyOf: [this.#refer(name, withoutNull(schema as Json)), { type: 'null' }] };
  }

  example(name: string, value: unknown): Json {
    this.#examples.set(name, value);
    return { $ref: `#/components/examples/${name}` };
  }

  /** In alphabetical order, so that the document does not change when operations change places. */
  written(): { schemas: Json; examples: Json } {
    const examples = [...this.#examples].map(([name, value]): [string, Json] => [name, { value }]);
    return { schemas: sorted(this.#schemas), examples: sorted(examples) };
  }

  #refer(name: string, schema: Json): Json {
    const written = this.#write(schema);
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, written))
      throw new Error(`Two different schemas are named ${name}.`);
    this.#schemas.set(name, written);
    return { $ref: `#/components/schemas/${name}` };
  }

  #write(schema: Json): Json {
    const {
      title: _title,
      examples: _samples,
      'x-media-types': _types,
      'x-conditions': conditions = [],
      'x-refused': refused,
      patternProperties,
      ...plain
    } = schema;
    const written = Object.fromEntries(
      Object.entries(plain).map(([key, part]) => [key, this.#part(key, part)]),
    );
    const allOf = [
      ...(conditions as Json[]),
      ...(refused ? [{ not: { pattern: (refused as Json).pattern } }] : []),
    ];
    const anyName = (patternProperties as Json | undefined)?.['^.*$'];
    return {
      ...written,
      // The same in fewer words, and in those that generators know.
      ...(anyName !== undefined && { additionalProperties: this.schema(anyName as Json) }),
      ...(allOf.length > 0 && { allOf }),
      ...(plain.discriminator !== undefined && { discriminator: this.#discriminator(plain) }),
    };
  }

  #part(key: string, part: unknown): unknown {
    if (key === 'properties') {
      const properties = Object.entries(part as Record<string, Json>);
      return Object.fromEntries(properties.map(([name, schema]) => [name, this.schema(schema)]));
    }
    if (listsOfSchemas.has(key)) return (part as Json[]).map((schema) => this.schema(schema));
    if (schemas.has(key) && typeof part === 'object') return this.schema(part as Json);
    return part;
  }

  /** Which word leads to which branch: without it, readers would take the components' names for the words. */
  #discriminator({ discriminator, oneOf }: Json): Json {
    const { propertyName } = discriminator as { propertyName: string };
    const mapping = (oneOf as Branch[]).flatMap((branch) =>
      (branch.properties[propertyName]?.enum ?? []).map((word) => [word, this.schema(branch).$ref]),
    );
    return { propertyName, mapping: Object.fromEntries(mapping) };
  }
}

type Branch = Json & { properties: Record<string, { enum?: string[] }> };

const listsOfSchemas = new Set(['allOf', 'anyOf', 'oneOf']);
const schemas = new Set(['items', 'additionalProperties', 'not', 'contains']);

const isNullable = ({ type }: Json) => Array.isArray(type) && type.includes('null');

function withoutNull({ type, enum: words, ...schema }: Json): Json {
  const [only, ...others] = (type as string[]).filter((word) => word !== 'null');
  return {
    type: others.length === 0 ? only : [only, ...others],
    ...(words !== undefined && { enum: (words as unknown[]).filter((word) => word !== null) }),
    ...schema,
  };
}

const sorted = (entries: Iterable<[string, Json]>): Json =>
  Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));

// How SQL is written: with the `sql` tag, and in no other way. What stands in `${…}` becomes a parameter, unless it is SQL
// itself. Only an open connection of `database.ts` can run it.

/** A statement or a part of one: texts, and between each two of them a value or another part. */
export class Sql {
  readonly texts: readonly string[];
  readonly between: readonly unknown[];
  constructor(texts: readonly string[], between: readonly unknown[]) {
    this.texts = texts;
    this.between = between;
  }
}

export function sql(texts: TemplateStringsArray, ...between: unknown[]): Sql {
  return new Sql(texts, between);
}

/** Parts and values one after another, with a comma or what else is given between them. */
sql.join = (parts: readonly unknown[], separator: Sql = comma): Sql => {
  const all = parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
  return new Sql(Array<string>(all.length + 1).fill(''), all);
};

/** A text written into the statement as a constant, for where PostgreSQL plans with its value or an index names it. */
sql.lit = (text: string): Sql => new Sql([`'${text.replaceAll("'", "''")}'`], []);

/** The name of a table or a column, for code that serves several. */
sql.id = (name: string): Sql => new Sql([`"${name.replaceAll('"', '""')}"`], []);

const comma = sql`, `;

export function compileQuery(query: Sql): { text: string; values: readonly unknown[] } {
  const { texts, between } = query;
  if (!between.some(isPart)) return { text: textWithoutParts(texts), values: between };
  const values: unknown[] = [];
  return { text: write(query, values), values };
}

const isPart = (value: unknown): value is Sql => value instanceof Sql;

function write({ texts, between }: Sql, values: unknown[]): string {
  let text = texts[0]!;
  for (let i = 0; i < between.length; i += 1) {
    const value = between[i];
    text += (isPart(value) ? write(value, values) : `$${values.push(value)}`) + texts[i + 1]!;
  }
  return text;
}

// The texts of a tag are one object for as long as the code lives, and most statements are nothing else.
const known = new WeakMap<readonly string[], string>();

function textWithoutParts(texts: readonly string[]): string {
  const text = known.get(texts) ?? texts.reduce((before, after, index) => `${before}$${index}${after}`);
  known.set(texts, text);
  return text;
}

/** Statements of one text share a name, so that each connection parses and plans them once. */
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known) return known;
  // Text is written by us and finite; the bound only keeps a mistake from growing every connection's memory.
  if (names.size >= 2_000) return undefined;
  const name = `g${names.size}`;
  names.set(text, name);
  return name;
}

const names = new Map<string, string>();
const passing = new WeakSet<object>();

/** For a statement whose text follows what a caller asked: planned for this once, so that no caller uses up the names. */
export function passingQuery(query: Sql): Sql {
  passing.add(query);
  return query;
}

export const isPassing = (query: Sql): boolean => passing.has(query);

/**
 * An array for PostgreSQL of what needs no care: numbers, SIDs, instants, hexadecimal. The driver would look through each
 * element for what must be escaped, which for thousands a second costs more than all else about them. What somebody else
 * chose the text of is given as a JavaScript array instead.
 */
export function plainArray(elements: (string | number | null)[]): string {
  if (/["\\]/.test(elements.join(''))) throw new Error('not an array of plain elements');
  const quoted = elements.map((element) =>
    typeof element === 'string' ? `"${element}"` : (element ?? 'NULL'),
  );
  return `{${quoted.join(',')}}`;
}

// One statement on its way through a connection. The library's own asks PostgreSQL anew each time what the columns are and
// copies what it is given; a statement PostgreSQL knows by name needs neither. And it may enter a tenant by itself.
import type { Writable } from 'node:stream';
import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { serialize } from 'pg-protocol';
import { StaleCredential } from './failures.ts';

export type Outcome = { rows: unknown[]; count: number };
export type Types = { getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown };

/**
 * The tenant a statement runs inside, and the version of credentials it is to find there, if any. A transaction of several
 * accounts is entered by all of them, with commas between.
 */
export type Inside = { accountSid: string; livemode: boolean; asOf?: string | undefined };

export type Statement = {
  /** PostgreSQL remembers the statement under it; one without is forgotten at once. */
  name?: string | undefined;
  text: string;
  values: readonly unknown[];
  types: Types;
  /** The tenant it runs inside, where the transaction around it says nothing of that. */
  inside?: Inside | null;
};

export function runStatement(client: pg.ClientBase, statement: Statement): Promise<Outcome> {
  return new Promise((done, fail) => {
    client.query(new PipelinedStatement(statement, done, fail) as unknown as pg.Submittable);
  });
}

const entering = "select set_config('app.accounts', $1, true), set_config('app.livemode', $2, true)";
const entrances = {
  enter: entering,
  // Columns are made in their order: the account is entered when row security is asked whether its version may be seen. A version
  // that is not seen is none that anybody knows.
  enter_as_of: `${entering}, (select credentials from fact_versions where scope = $1)`,
};

/** Once for every connection whose statements are to enter tenants. */
export function prepareEntering(client: pg.ClientBase): void {
  for (const [name, text] of Object.entries(entrances)) {
    // One that fails is gone, as the first statement that needs it will find.
    client.query({ name, text, values: ['', 'false'] }).catch(() => {});
  }
}

// A tenant that asks asks again; all of them together are few bytes.
const entries = new Map<string, Buffer>();
const mostEntries = 20_000;

function entryInto({ accountSid, livemode, asOf }: Inside): Buffer {
  const statement: keyof typeof entrances = asOf === undefined ? 'enter' : 'enter_as_of';
  const key = `${accountSid} ${livemode} ${statement}`;
  const known = entries.get(key);
  if (known) return known;
  if (entries.size >= mostEntries) entries.clear();
  const values = [accountSid, String(livemode)];
  const entry = Buffer.concat([serialize.bind({ statement, values }), serialize.execute()]);
  // The same accounts hardly ever meet again.
  if (!accountSid.includes(',')) entries.set(key, entry);
  return entry;
}

type Connection = {
  stream: Writable;
  /** The statements PostgreSQL knows by name on this connection, and those it was told of but has not confirmed. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
};

type Column = { name: string; dataTypeID: number; format?: 'text' | 'binary' };
type Shape = { names: string[]; readers: ((text: string) => unknown)[]; blank: Record<string, unknown> };

// What PostgreSQL said of the columns of a named statement holds while it remembers that statement.
const shapesOf = new WeakMap<Connection, Map<string, Shape>>();
const noColumns: Shape = { names: [], readers: [], blank: {} };

/** What the library calls while the answer comes in. */
class PipelinedStatement {
  readonly name: string | undefined;
  readonly text: string;
  readonly #statement: Statement;
  readonly #values: unknown[];
  readonly #done: (outcome: Outcome) => void;
  readonly #fail: (error: Error) => void;
  readonly #found: unknown[] = [];
  #count = 0;
  #enters: boolean;
  #shapes: Map<string, Shape> | undefined;
  #shape: Shape | undefined;
  #unreadable: Error | undefined;
  #stale = false;

  constructor(statement: Statement, done: (outcome: Outcome) => void, fail: (error: Error) => void) {
    this.name = statement.name;
    this.text = statement.text;
    this.#statement = statement;
    // What cannot be written throws here, before anything is sent.
    this.#values = statement.values.map(utils.prepareValue);
    this.#enters = Boolean(statement.inside);
    this.#done = done;
    this.#fail = fail;
  }

  submit(connection: Connection): null {
    const { name, text } = this;
    const { inside } = this.#statement;
    this.#shapes = shapesFor(connection);
    this.#shape = name === undefined ? undefined : this.#shapes.get(name);
    const messages: Buffer[] = [];
    if (!isKnown(connection, name)) {
      messages.push(serialize.parse({ name: name ?? '', text }));
      if (name !== undefined) connection.submittedNamedStatements[name] = text;
    }
    // Before the same barrier, and so in the same transaction: it ends with this statement, whatever becomes of it.
    if (inside) messages.push(entryInto(inside));
    messages.push(serialize.bind({ statement: name ?? '', values: this.#values }));
    if (!this.#shape) messages.push(serialize.describe({ type: 'P' }));
    messages.push(serialize.execute(), serialize.sync());
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
    return null;
  }

  handleRowDescription({ fields }: { fields: Column[] }): void {
    this.#learn(shapeOf(fields, this.#statement.types));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#enters) {
      const { asOf } = this.#statement.inside!;
      this.#stale = asOf !== undefined && fields[2] !== asOf;
      return;
    }
    if (this.#unreadable) return;
    try {
      this.#found.push(readRow(this.#shape!, fields));
    } catch (error) {
      this.#unreadable = error as Error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.#enters) {
      this.#enters = false;
      return;
    }
    if (!this.#shape) this.#learn(noColumns);
    this.#count = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0;
  }

  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.#fail(error);
  }

  handleReadyForQuery(): void {
    if (this.#stale) this.#fail(new StaleCredential());
    else if (this.#unreadable) this.#fail(this.#unreadable);
    else this.#done({ rows: this.#found, count: this.#count });
  }

  #learn(shape: Shape): void {
    this.#shape = shape;
    if (this.name !== undefined) this.#shapes!.set(this.name, shape);
  }
}

// The library lets none but its own share a connection with others that have been sent already: those of strangers may ask
// for rows in several goes. This one does not.
Object.setPrototypeOf(PipelinedStatement.prototype, pg.Query.prototype);

function shapesFor(connection: Connection): Map<string, Shape> {
  const known = shapesOf.get(connection);
  if (known) return known;
  const shapes = new Map<string, Shape>();
  shapesOf.set(connection, shapes);
  return shapes;
}

const isKnown = (
  { parsedStatements, submittedNamedStatements }: Connection,
  name: string | undefined,
): boolean =>
  name !== undefined &&
  (parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined);

function shapeOf(columns: Column[], types: Types): Shape {
  const names = columns.map(({ name }) => name);
  return {
    names,
    readers: columns.map(({ dataTypeID, format }) => types.getTypeParser(dataTypeID, format ?? 'text')),
    blank: Object.fromEntries(names.map((name) => [name, null])),
  };
}

function readRow({ names, readers, blank }: Shape, fields: (string | null)[]): Record<string, unknown> {
  const row = { ...blank };
  for (let i = 0; i < fields.length; i += 1) {
    const text = fields[i]!;
    if (text !== null) row[names[i]!] = readers[i]!(text);
  }
  return row;
}

// What the operator sees of the provider's callbacks from the command line.
import {
  findCallbacks,
  retryCallbacks,
  showCallback,
  type WaitingCallback,
} from '../modules/provider/index.ts';
import { ConfigError } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';

type Print = (line: string) => void;

const line = ({ id, environment, state, receivedAt, attempts, note }: WaitingCallback) =>
  [id, environment, state, receivedAt, `${attempts} tries`, (note ?? '').replaceAll('\n', '; ')].join('  ');

export async function listCallbacks(
  database: Database,
  { state, json }: { state?: 'due' | 'kept' | 'parked'; json?: boolean },
  print: Print,
): Promise<void> {
  const found = await database.system((s) => findCallbacks(s, { state: state ?? null, limit: 100 }));
  if (json) return print(JSON.stringify(found));
  for (const callback of found) print(line(callback));
  if (found.length === 0) print('Every callback is done.');
}

/** The body is personal data: it is shown to whoever asks for this one, and listed nowhere. */
export async function printCallback(database: Database, id: string, print: Print): Promise<void> {
  const found = await database.system((s) => showCallback(s, id));
  if (!found) throw new ConfigError(`There is no callback ${id}, or no more.`);
  const { body, ...facts } = found;
  print(JSON.stringify(facts, null, 2));
  print(body.toString('utf8'));
}

export async function retry(
  database: Database,
  ids: string[],
  all: 'kept' | 'parked' | undefined,
  print: Print,
): Promise<void> {
  if (ids.length > 0 === (all !== undefined)) throw new ConfigError('Name callbacks, or a state by --all.');
  const count = await database.system((s) => retryCallbacks(s, all ? { state: all } : { ids }));
  print(count === 1 ? '1 callback is tried again.' : `${count} callbacks are tried again.`);
}

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import type { Database } from '../../platform/db/database.ts';
import { rememberKeys } from './remember-keys.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

/** A database whose answers are held back until they are let through. */
function heldBack(database: Database) {
  const answered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const system: Database['system'] = async (work, ...rest) => {
    const found = await database.system(work, ...rest);
    answered.resolve();
    await held.promise;
    return found;
  };
  return {
    database: { ...database, system } as Database,
    answered: answered.promise,
    letThrough: held.resolve,
  };
}

test('a key that is asked for again is read after that, and not by whoever looked before', async () => {
  const { id } = await app.key(['contacts:read']);
  const [row] = await app.sql<{ lookup: string }>('select lookup from api_keys where id = $1', [id]);
  const { database, answered, letThrough } = heldBack(app.database);
  const keys = await rememberKeys(database);
  lifetime.after(() => keys.stop());
  const now = app.clock.now();
  const scopes = async () => (await keys.findAgain(row!.lookup, now))!.scopes;
  const before = scopes();
  await answered;
  await app.sql(`update api_keys set scopes = '{contacts:write}' where id = $1`, [id]);
  const after = [scopes(), scopes()];
  letThrough();
  await before;
  assert.deepEqual(await Promise.all(after), [['contacts:write'], ['contacts:write']]);
});

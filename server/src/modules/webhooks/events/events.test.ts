import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { startTestApp } from '../../../../test/harness/app.ts';
import { inAccount } from '../../../../test/harness/webhooks.ts';
import { sql } from '../../../platform/db/query.ts';
import { apiVersion } from '../../../platform/events.ts';
import { statuses } from '../../messages/statuses.ts';
import { templateStatuses } from '../../templates/find-template.ts';
import { readStatus } from '../../templates/provider-words.ts';
import { eventTypes } from './catalogue.ts';
import { eventBody, type StoredEvent } from './event-body.ts';
import { filterWarnings, matchesFilter } from './filters.ts';
import { apiVersions, currentVersion, shapeData } from './versions.ts';

const source = fileURLToPath(new URL('../../../', import.meta.url));

suite('the catalogue', () => {
  const known = new Set(eventTypes.map(({ name }) => name));
  /** Types that are put together of a noun and a state, by the prefix they are written with. */
  const named: Record<string, readonly string[]> = {
    'message.': statuses,
    // A draft is where a template begins: it never becomes one.
    'template.': templateStatuses.filter((status) => readStatus(status) === status),
    'approval.': ['approved', 'rejected', 'expired'],
  };
  const generated = Object.entries(named).flatMap(([prefix, states]) =>
    states.map((state) => `${prefix}${state.toLowerCase()}`),
  );

  async function emittingFiles(): Promise<string[]> {
    const names = (await readdir(source, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !/\.test(-data)?\.ts$/.test(name),
    );
    const texts = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
    return texts.filter((text) => /\bemit\(/.test(text) && !text.includes('export const eventTypes'));
  }

  test('has every type the source can emit, and none that it cannot', async () => {
    const nouns = new Set(eventTypes.map(({ name }) => name.split('.')[0]!));
    const emitted = new Set(generated);
    for (const text of await emittingFiles()) {
      // Names of the audit log look the same and are told apart by where they stand.
      for (const [, before, type] of text.matchAll(/(action: )?'([a-z_]+\.[a-z_]+)'/g))
        if (!before && nouns.has(type!.split('.')[0]!)) emitted.add(type!);
      for (const [, noun] of text.matchAll(/`([a-z_]+)\.\$\{/g))
        if (nouns.has(noun!)) assert.ok(named[`${noun}.`], `which types begin with ${noun}?`);
    }
    assert.deepEqual([...emitted].toSorted(), [...known].toSorted());
  });

  test('names each type once, in a form filters can meet, since a version there is, with a sample', () => {
    assert.equal(new Set(eventTypes.map(({ name }) => name)).size, eventTypes.length);
    const facts = { accountSid: 'AC1', livemode: false, now: '2026-08-21T10:00:00.000Z' };
    for (const { name, since, description, sample } of eventTypes) {
      assert.match(name, /^[a-z_]+\.[a-z_]+$/);
      assert.ok(apiVersions.includes(since), name);
      assert.ok(description.endsWith('.'), name);
      assert.equal(typeof (sample(facts) as { object?: unknown }).object, 'string', name);
    }
    for (const shown of [
      'test.ping',
      'message.delivered',
      'message.received',
      'message.failed',
      'suppression.removed',
    ])
      assert.ok(eventTypes.some(({ name }) => name === shown));
  });
});

suite('filters', () => {
  test('mean the same in the database as here', async (context) => {
    const app = await startTestApp(context);
    const word = fc.constantFrom('message', 'message.', 'mess', 'a_b', 'axb', '%', '_', '*', '.', '');
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
    const filter = fc.oneof(
      name,
      name.map((one) => `${one}.*`),
      fc.constant('*'),
      fc.constant('.*'),
    );
    const pairs = fc.sample(fc.tuple(filter, name), { numRuns: 1_000, seed: 3 });
    const rows = await inAccount(app, (t) =>
      t.many<{ yes: boolean }>(sql`
        select webhook_subscribes(array[filter], type) as yes
          from unnest(${pairs.map(([one]) => one)}::text[], ${pairs.map(([, type]) => type)}::text[])
            with ordinality as pair (filter, type, position) order by position`),
    );
    for (const [i, [one, type]] of pairs.entries())
      assert.equal(rows[i]!.yes, matchesFilter(one, type), `${one} ${type}`);
    const [none] = await app.sql<{ yes: boolean }>(`select webhook_subscribes('{}', 'a.b') as yes`);
    assert.equal(none!.yes, true);
  });
  test('that match something known are not warned of', () => {
    assert.deepEqual(filterWarnings(['*', 'message.*', 'message.sent', 'test.ping']), []);
    assert.equal(filterWarnings(['message', 'message.**', 'Message.sent', '', 'message.sent.*']).length, 5);
  });
});

suite('versions', () => {
  test('the newest is the one events are made in', () => {
    assert.equal(currentVersion, apiVersion);
    assert.equal(apiVersions.at(-1), apiVersion);
    assert.deepEqual(apiVersions, apiVersions.toSorted());
  });
  test('a message reads as it did before its recipient was an object', () => {
    const to = { identifierType: 'phone_e164', value: '+33612345678', contactSid: 'CT1' };
    const data = { object: 'message', to, text: { body: 'x' } };
    const shaped = shapeData('message.sent', data, '2026-08-21', '2026-05-04');
    assert.deepEqual(shaped, { object: 'message', to: to.value, contactSid: 'CT1', text: { body: 'x' } });
    assert.equal(data.to, to);
    assert.deepEqual(shapeData('contact.created', { to }, '2026-08-21', '2026-05-04'), { to });
    assert.equal(shapeData('message.sent', data, '2026-08-21', '2026-08-21'), data);
  });
  test('data without a recipient passes as it is', () => {
    for (const to of [undefined, null, 'text', 7])
      assert.deepEqual(shapeData('message.sent', { to }, '2026-08-21', '2026-05-04'), { to });
  });
});

test('a body is JSON whatever stands in the data, and its data the very text that was stored', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.string(), (data, type) => {
      const event: StoredEvent = {
        sid: 'EV1',
        type,
        apiVersion,
        occurredAt: '2026-08-21T10:00:00.000Z',
        createdAt: '2026-08-21T10:00:00.000Z',
        sequence: '12',
        livemode: false,
        accountSid: 'AC1',
        subaccountSid: null,
        data,
      };
      const body = eventBody(event, apiVersion);
      const parsed = JSON.parse(body);
      assert.deepEqual([parsed.type, parsed.sequence, parsed.data], [type, 12, JSON.parse(data)]);
      assert.ok(body.endsWith(`"data":${data}}`));
    }),
    { numRuns: 1_000 },
  );
});

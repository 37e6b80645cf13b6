// Promises about every type of event, held for whatever the modules declare.
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventTypes, modules } from '../src/main/modules.ts';
import { contactEvents } from '../src/modules/contacts/events.ts';
import { statuses } from '../src/modules/messages/statuses.ts';
import { templateStatuses } from '../src/modules/templates/find-template.ts';
import { readStatus } from '../src/modules/templates/provider-words.ts';
import { apiVersions, type EventType, emit } from '../src/platform/events.ts';
import { sampleIn } from '../src/platform/samples.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { takeWrongEvents, wrongWith } from './harness/events.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { inAccount } from './harness/webhooks.ts';

const source = fileURLToPath(new URL('../src/modules/', import.meta.url));

const isEventType = (value: unknown): value is EventType =>
  typeof value === 'object' && value !== null && 'schema' in value && 'sample' in value && 'since' in value;

type Declared = { file: string; record: string; verb: string; type: EventType };

/** What the files named events.ts declare, and under which name. */
async function declarations(): Promise<Declared[]> {
  const found: Declared[] = [];
  for await (const file of glob('**/events.ts', { cwd: source })) {
    const exported: Record<string, unknown> = await import(join(source, file));
    for (const [record, value] of Object.entries(exported))
      if (typeof value === 'object')
        for (const [verb, type] of Object.entries(value ?? {}))
          if (isEventType(type)) found.push({ file, record, verb, type });
  }
  return found;
}

async function sourceOutside(skipped: string[]): Promise<string> {
  const texts: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] }))
    if (!skipped.includes(file)) texts.push(await readFile(join(source, file), 'utf8'));
  return texts.join('\n');
}

/** Chosen by the status that was come to: all of these, then, and no others. */
const byStatus: Record<string, string[]> = {
  messageEvents: statuses,
  // A draft is where a template begins: none becomes one.
  templateEvents: templateStatuses
    .filter((status) => readStatus(status) === status)
    .map((status) => status.toLowerCase()),
};

suite('every type of event', () => {
  test('has a name that filters can meet, a version since which there is, and a sentence', () => {
    for (const { name, since, description } of eventTypes) {
      assert.match(name, /^[a-z_]+\.[a-z_]+$/);
      assert.ok(apiVersions.includes(since), name);
      assert.match(description, /^[A-Z].*\.$/, name);
    }
    const names = eventTypes.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const promised of [
      'test.ping',
      'message.delivered',
      'message.received',
      'message.failed',
      'suppression.removed',
    ])
      assert.ok(names.includes(promised), promised);
  });

  test('has a sample that passes its schema, in whichever account it is shown', () => {
    const tenant = { accountSid: 'AC01K3SAMP1E0000000000000009', livemode: true };
    for (const type of eventTypes) {
      const sample = sampleIn(tenant, type.sample);
      assert.equal(wrongWith(type, sample), null);
      const { accountSid, livemode } = { ...tenant, ...sample };
      assert.deepEqual({ accountSid, livemode }, tenant, type.name);
    }
  });

  test('stands in the manifest of the module that declares it', async () => {
    const declared = await declarations();
    assert.equal(declared.length, eventTypes.length);
    for (const { file, type } of declared) {
      const owner = modules.find(({ name }) => name === file.split('/')[0]);
      assert.ok(owner?.events?.includes(type), `${type.name} is missing in the manifest of ${file}`);
    }
  });

  test('is emitted by somebody', async () => {
    const declared = await declarations();
    const text = await sourceOutside(declared.map(({ file }) => file));
    const silent = declared.filter(
      ({ record, verb }) =>
        !byStatus[record]?.includes(verb) && !new RegExp(`\\b${record}\\.${verb}\\b`).test(text),
    );
    assert.deepEqual(
      silent.map(({ type }) => type.name),
      [],
    );
    for (const [record, verbs] of Object.entries(byStatus))
      for (const verb of verbs)
        assert.ok(
          declared.some((one) => one.record === record && one.verb === verb),
          `${record} has nothing for the status ${verb}`,
        );
  });
});

suite('what tests emit', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(lifetime);
  });
  const lifetime = sharedLifetime();

  test('fails its transaction, by name and path, when it is not what its type declares', async () => {
    const { consent: _, ...data } = contactEvents.created.sample;
    const wrong = /contact\.created was emitted against its schema.*"consent".*is required/;
    await assert.rejects(
      inAccount(app, (t) => emit(t, contactEvents.created, data as never)),
      wrong,
    );
    assert.deepEqual(await app.emitted(), []);
    assert.match(takeWrongEvents().join(), wrong);
  });

  test('must be declared in a manifest', async () => {
    const misspelt = { ...contactEvents.created, name: 'contact.craeted' };
    const wrong = /contact\.craeted is in no module's manifest/;
    await assert.rejects(
      inAccount(app, (t) => emit(t, misspelt, misspelt.sample)),
      wrong,
    );
    assert.match(takeWrongEvents().join(), wrong);
  });
});

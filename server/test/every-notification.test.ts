// Every type of notification that a module declares: it comes from something that happens, is written in every language, and
// carries identifiers and nothing else.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { eventTypes, modules } from '../src/main/modules.ts';
import type { TenantTx } from '../src/platform/db/database.ts';
import { sidPrefixes } from '../src/platform/ids.ts';
import { notificationCategories } from '../src/platform/notification-categories.ts';
import type { Notice, NotificationType } from '../src/platform/notifications.ts';
import { systemPrincipal } from '../src/platform/principal.ts';
import { sampleSid, sampleUuid } from '../src/platform/samples.ts';

const types = modules.flatMap((module) => module.notifications ?? []);
const sourceFolder = new URL('../src/modules/', import.meta.url);

const identifier = new RegExp(
  `^((${Object.keys(sidPrefixes).join('|')})[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`,
);

/** Every text that is no identifier becomes one nobody could miss. */
const marker = 'Ines Martin +33612345678 <b>hello</b>';
function marked(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => marked(item));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, marked(item, name)]));
  // Names of principals and of roles decide who is told; they are no words of anybody's.
  const decides = /^(user|api_key):/.test(String(value)) || key === 'role';
  return typeof value === 'string' && !identifier.test(value) && !decides ? marker : value;
}

const t = { principal: systemPrincipal('test', false), now: new Date() } as TenantTx;

/** What the type tells when every sample of its source happens; an owner's role and an empty desk included. */
function noticesOf(type: NotificationType): Notice[] {
  const { from } = type;
  if (from === null) return [{ to: { scope: 'wabas:write' }, resource: sampleSid('WA') }];
  const happenings =
    'event' in from
      ? [
          from.event.sample,
          { ...from.event.sample, role: 'OWNER' },
          { ...from.event.sample, inboxSid: sampleSid('IB'), assigneeSid: null },
        ].map((data) => marked(data))
      : [{ action: from.action, resource: sampleUuid, facts: { userSid: sampleSid('US'), name: marker } }];
  return happenings.map((data) => type.notice(data, t)).filter((notice) => notice !== null);
}

test('every category but those of the operator is told of by some module', () => {
  const told = new Set<string>(types.map(({ category }) => category));
  const missing = notificationCategories.filter((category) => !told.has(category));
  assert.deepEqual(missing, ['incident', 'product_update']);
});

test('no two types have one name', () => {
  assert.equal(new Set(types.map(({ name }) => name)).size, types.length);
});

test('every type comes from an event that is declared, an act that is written down, or is told by its own module', async () => {
  const files = (await readdir(sourceFolder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/notifications|\.test\.ts$/.test(name),
  );
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, sourceFolder), 'utf8')));
  for (const { name, from } of types) {
    if (from === null) continue;
    if ('event' in from) assert.ok(eventTypes.includes(from.event), name);
    else
      assert.ok(
        sources.some((text) => text.includes(`'${from.action}'`)),
        `${name}: nothing audits it`,
      );
  }
  const owned = await Promise.all(
    modules.map(async (module) => {
      const told = (module.notifications ?? []).filter(({ from }) => from === null);
      if (told.length === 0) return true;
      const folder = new URL(`${module.name}/`, sourceFolder);
      const own = (await readdir(folder, { recursive: true })).filter((name) =>
        /\bnotifications\.ts$/.test(name),
      );
      const texts = await Promise.all(own.map((name) => readFile(new URL(name, folder), 'utf8')));
      return texts.some((text) => text.includes('notify(t, '));
    }),
  );
  assert.ok(owned.every(Boolean));
});

suite('every type of notification', () => {
  for (const type of types) {
    test(`${type.name} is told in every language, by identifiers alone`, () => {
      const notices = noticesOf(type);
      assert.ok(notices.length > 0, 'no sample of what it comes from makes anybody be told');
      for (const { resource, params = { resource }, dedupeKey = resource, to } of notices) {
        for (const value of [resource, dedupeKey, ...Object.values(params)]) assert.match(value, identifier);
        assert.ok(!JSON.stringify(to).includes(marker));
        const [en, fr] = [type.texts.en(params), type.texts.fr(params)];
        for (const text of [en.title, en.body, fr.title, fr.body]) {
          assert.match(text, /^\S.*\S$/, 'one line that says something');
          assert.doesNotMatch(text, /undefined|null|\[object/);
          assert.ok(!text.includes(marker));
        }
        assert.notDeepEqual(en, fr);
        assert.ok(en.title.length <= 100 && fr.title.length <= 100);
      }
    });
  }
});

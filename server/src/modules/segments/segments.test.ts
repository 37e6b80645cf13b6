import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { claimSegments } from './index.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

type Person = { attributes?: object; displayName?: string; locale?: string; timezone?: string };

let nextNumber = 33_612_000_000;
async function contact(person: Person = {}): Promise<string> {
  nextNumber += 1;
  const identifiers = [{ identifierType: 'phone_e164', value: `+${nextNumber}` }];
  const { status, body, text } = await app.post(`${app.at}/contacts`, { identifiers, ...person });
  assert.equal(status, 201, text);
  return body.sid;
}

const consent = (sid: string, status: string, more: object = {}) =>
  app.post(`${app.at}/contacts/${sid}/consents`, { purpose: 'MARKETING', source: 'API', status, ...more });
const suppress = (sid: string) =>
  app.post(`${app.at}/contacts/${sid}/suppressions`, { reason: 'COMPLAINT', scope: 'ALL', source: 'test' });
const define = (filters: object, contactSids?: string[]) => ({
  kind: 'DYNAMIC',
  filters,
  ...(contactSids && { contactSids }),
});

async function matches(filters: object, among: string[]): Promise<string[]> {
  const reply = await app.post(`${app.at}/segments/preview`, define(filters, among));
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.count, reply.body.sample.length);
  return reply.body.sample.sort();
}

const members = async (sid: string) => {
  const found: { contactSid: string; provenance: object }[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await app.get(`${app.at}/segments/${sid}/members?limit=3${cursor}`);
    found.push(...body.data);
    if (!body.hasMore) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
};

suite('filters', () => {
  // What each operator means, said a second time in plain JavaScript.
  // biome-ignore lint/suspicious/noExplicitAny: compared as JavaScript compares them, once their types agree
  const holds: Record<string, (value: any, wanted: any) => boolean> = {
    eq: (value, wanted) => value === wanted,
    ne: (value, wanted) => value !== wanted,
    in: (value, wanted: unknown[]) => wanted.includes(value),
    exists: (value, wanted: boolean) => (value !== undefined) === wanted,
    contains: (value, wanted) =>
      typeof value === 'string'
        ? typeof wanted === 'string' && value.includes(wanted)
        : Array.isArray(value) && value.includes(wanted),
    gt: (value, wanted) => typeof value === typeof wanted && value > wanted,
    gte: (value, wanted) => typeof value === typeof wanted && value >= wanted,
    lt: (value, wanted) => typeof value === typeof wanted && value < wanted,
    lte: (value, wanted) => typeof value === typeof wanted && value <= wanted,
  };
  const plain = fc.constantFrom<unknown>('gold', 'go', '', '10', 10, 9.5, -1, 0, true, false, null);
  const stored = fc.oneof(plain, fc.array(plain, { maxLength: 2 }), fc.constant({ nested: 1 }));
  const ordered = fc.constantFrom<unknown>('gold', '10', '', 10, 9.5, -1);
  const tests = fc.oneof(
    fc.tuple(fc.constantFrom('eq', 'ne', 'contains'), plain),
    fc.tuple(fc.constant('in'), fc.array(plain, { maxLength: 3 })),
    fc.tuple(fc.constant('exists'), fc.boolean()),
    fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), ordered),
  );

  test('mean on stored attributes exactly what they say', async () => {
    const values: unknown[] = [undefined, ...fc.sample(stored, { numRuns: 25, seed: 4 })];
    const people = new Map<string, unknown>();
    for (const value of values)
      people.set(await contact(value === undefined ? {} : { attributes: { a: value } }), value);
    // The sample of a preview holds ten, so people are asked about in small groups.
    const groups = [
      [...people.keys()].slice(0, 9),
      [...people.keys()].slice(9, 18),
      [...people.keys()].slice(18),
    ];
    await fc.assert(
      fc.asyncProperty(tests, fc.constantFrom(...groups), async ([operator, wanted], group) => {
        const expected = group.filter((sid) => holds[operator]!(people.get(sid), wanted)).sort();
        assert.deepEqual(await matches({ attributes: { a: { [operator]: wanted } } }, group), expected);
      }),
      { numRuns: 300 },
    );
  });

  test('combine with AND', async () => {
    const both = await contact({
      attributes: { plan: 'gold', visits: 5 },
      locale: 'fr',
      timezone: 'Europe/Paris',
      displayName: 'Inès 50%',
    });
    const one = await contact({
      attributes: { plan: 'gold', visits: 1 },
      locale: 'fr',
      timezone: 'Europe/Paris',
      displayName: 'Inès',
    });
    const group = [both, one];
    assert.deepEqual(await matches({ attributes: { plan: 'gold', visits: { gte: 3, lt: 9 } } }, group), [
      both,
    ]);
    assert.deepEqual(
      await matches({ localeIn: ['en', 'fr'], timezoneIn: ['Europe/Paris'] }, group),
      [both, one].sort(),
    );
    assert.deepEqual(await matches({ displayNameContains: 'ÈS 50%' }, group), [both]);
    assert.deepEqual(await matches({ displayNameContains: '_' }, group), []);
    const unnamed = await contact();
    assert.deepEqual(await matches({ displayNameContains: '' }, [both, unnamed]), [both, unnamed].sort());
    assert.deepEqual(await matches({ localeIn: [] }, group), []);
    assert.deepEqual(await matches({ createdAfter: app.clock.now().toISOString() }, group), []);
    assert.deepEqual(await matches({ createdAfter: '2020-01-01T00:00:00Z' }, group), [both, one].sort());
  });

  test('see consent and suppression as they are now: expired is expired, unasked is unknown', async () => {
    const [agreed, expiring, refused, unasked] = [
      await contact(),
      await contact(),
      await contact(),
      await contact(),
    ];
    const inAnHour = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    await consent(agreed, 'OPTED_IN');
    await consent(expiring, 'OPTED_IN', { expiresAt: inAnHour });
    await consent(refused, 'OPTED_OUT');
    await suppress(agreed);
    const group = [agreed, expiring, refused, unasked];
    const by = (status: string) => matches({ consent: { purpose: 'MARKETING', status } }, group);
    assert.deepEqual(await by('OPTED_IN'), [agreed, expiring].sort());
    assert.deepEqual(await by('UNKNOWN'), [unasked]);
    assert.deepEqual(await matches({ suppressed: true }, group), [agreed]);
    assert.deepEqual(
      await matches({ suppressed: false, consent: { purpose: 'MARKETING', status: 'OPTED_IN' } }, group),
      [expiring],
    );
    app.clock.advance(3_600_000);
    assert.deepEqual(await by('OPTED_IN'), [agreed]);
    assert.deepEqual(await by('EXPIRED'), [expiring]);
  });

  test('that cannot be conditions are refused at their path', async () => {
    const bad: [object, string][] = [
      [{ attributes: { plan: { like: 'g%' } } }, 'filters.attributes.plan.like'],
      [{ attributes: { plan: {} } }, 'filters.attributes.plan'],
      [{ attributes: { plan: { in: 'gold' } } }, 'filters.attributes.plan.in'],
      [{ attributes: { plan: { gt: null } } }, 'filters.attributes.plan.gt'],
      [{ attributes: { plan: { exists: 1 } } }, 'filters.attributes.plan.exists'],
      [{ consent: { purpose: 'FUN', status: 'OPTED_IN' } }, 'filters.consent.purpose'],
      [{ consent: { purpose: 'MARKETING' } }, 'filters.consent.status'],
      [{ consent: { purpose: 'MARKETING', status: 'OPTED_IN', x: 1 } }, 'filters.consent.x'],
      [{ surprise: true }, 'filters.surprise'],
      [{ createdAfter: '2026-02-30T00:00:00Z' }, 'filters.createdAfter'],
      [{ localeIn: Array(1001).fill('en') }, 'filters.localeIn'],
      [
        { attributes: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, 1])) },
        'filters.attributes',
      ],
    ];
    for (const [filters, path] of bad) {
      const { status, body, text } = await app.post(`${app.at}/segments/preview`, define(filters));
      assert.equal(status, 400, text);
      assert.ok(
        body.error.details.some((detail: { path: string }) => detail.path === path),
        text,
      );
    }
  });

  test('never read SQL out of a value', async () => {
    const sid = await contact({ attributes: { "a'b": "x'); drop table contacts; --" } });
    assert.deepEqual(await matches({ attributes: { "a'b": "x'); drop table contacts; --" } }, [sid]), [sid]);
    assert.deepEqual(await matches({ attributes: { "a'b": { contains: "'" } } }, [sid]), [sid]);
  });
});

suite('a segment', () => {
  test('keeps who matched, by which version, when, and the consent that said so', async () => {
    const sid = await contact({ attributes: { kept: true } });
    const { body: record } = await consent(sid, 'OPTED_IN');
    const filters = { attributes: { kept: true }, consent: { purpose: 'MARKETING', status: 'OPTED_IN' } };
    const made = await app.post(`${app.at}/segments`, { ...define(filters), name: 'Kept' });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get('location'), `${app.at}/segments/${made.body.sid}`);
    assert.deepEqual([made.body.memberCount, made.body.filterVersion], [1, 1]);
    const [member] = await members(made.body.sid);
    assert.equal(member!.contactSid, sid);
    assert.deepEqual(member!.provenance, {
      filterVersion: 1,
      matchedAt: app.clock.now().toISOString(),
      matched: ['attributes.kept', 'consent'],
      consentSid: record.sid,
    });
  });

  test('is a set of its moment: a refresh adds who came, drops who left and keeps since when the others belong', async () => {
    const stays = await contact({ attributes: { team: 'red' } });
    const leaves = await contact({ attributes: { team: 'red' } });
    const { body: segment } = await app.post(`${app.at}/segments`, {
      ...define({ attributes: { team: 'red' } }),
      name: 'Red',
    });
    const since = app.clock.now().toISOString();
    app.clock.advance(60_000);
    const comes = await contact({ attributes: { team: 'red' } });
    await app.patch(`${app.at}/contacts/${leaves}`, { attributes: { team: 'blue' } });
    assert.equal((await app.get(`${app.at}/segments/${segment.sid}`)).body.memberCount, 2);

    const refreshed = await app.post(`${app.at}/segments/${segment.sid}/refresh`);
    assert.deepEqual([refreshed.status, refreshed.body.memberCount], [200, 2], refreshed.text);
    const now = app.clock.now().toISOString();
    const found = (await members(segment.sid)).map(({ contactSid, provenance }) => [
      contactSid,
      (provenance as { matchedAt: string }).matchedAt,
    ]);
    assert.deepEqual(Object.fromEntries(found), { [stays]: since, [comes]: now });
  });

  test('redefined is a new version for everybody', async () => {
    const sid = await contact({ attributes: { city: 'Lyon' }, locale: 'fr' });
    const { body: segment } = await app.post(`${app.at}/segments`, {
      ...define({ attributes: { city: 'Lyon' } }),
      name: 'Lyon',
    });
    const changed = await app.patch(`${app.at}/segments/${segment.sid}`, define({ localeIn: ['fr'] }, [sid]));
    assert.deepEqual(
      [changed.body.filterVersion, changed.body.memberCount, changed.body.name],
      [2, 1, 'Lyon'],
    );
    const [member] = await members(segment.sid);
    assert.deepEqual((member!.provenance as { matched: string[] }).matched, ['contactSids', 'localeIn']);
  });

  test('cannot be deleted while it is used, and is gone afterwards', async () => {
    const { body: segment } = await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'Used' });
    const tenant = { accountSid: app.accountSid, livemode: false };
    const as = {
      principal: systemPrincipal('test', false),
      now: app.clock.now(),
      requestId: 'test',
      log: silentLog,
    };
    await app.database.write(tenant, as, (t) => claimSegments(t, 'campaign CP1', [segment.sid]));
    const refused = await app.delete(`${app.at}/segments/${segment.sid}`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
    assert.match(refused.body.error.message, /campaign CP1/);
    await app.database.write(tenant, as, (t) => claimSegments(t, 'campaign CP1', []));
    const deleted = await app.delete(`${app.at}/segments/${segment.sid}`);
    assert.deepEqual([deleted.status, deleted.body.memberCount], [200, 0]);
    assert.equal((await app.get(`${app.at}/segments/${segment.sid}`)).status, 404);
    assert.equal((await app.delete(`${app.at}/segments/${segment.sid}`)).status, 404);
    assert.equal(await app.count(`segment_members where segment_sid = '${segment.sid}'`), 0);
  });

  test('changed and refreshed by many at once stays one consistent set', async () => {
    const { body: segment } = await app.post(`${app.at}/segments`, { kind: 'DYNAMIC', name: 'Busy' });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? app.post(`${app.at}/segments/${segment.sid}/refresh`)
          : app.patch(`${app.at}/segments/${segment.sid}`, define({ suppressed: false })),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    const { body } = await app.get(`${app.at}/segments/${segment.sid}`);
    assert.equal(body.filterVersion, 11);
    assert.equal(await app.count(`segment_members where segment_sid = '${segment.sid}'`), body.memberCount);
  });

  test('previewed leaves nothing behind', async () => {
    const before = await app.count('segments');
    await app.post(`${app.at}/segments/preview`, define({}));
    assert.deepEqual(
      [
        await app.count('segments'),
        await app.count("events where type like 'segment.%' and data::text like '%preview%'"),
      ],
      [before, 0],
    );
  });
});

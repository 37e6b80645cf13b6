// Any sequence of what can happen to people, tried on the service and on a model of it that fits on a page. Afterwards
// both must tell the same of everybody, and what may never break must not have broken.
//   MODEL_RUNS=1000 npm run test:only -- server/test/scenarios/contacts-model.test.ts
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { verifyConsents } from '../../src/modules/consent/index.ts';
import { newPhone } from '../../src/modules/contacts/fixtures.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type People, peopleOf, phone, portrait } from '../harness/contacts.ts';

const runs = Number(process.env.MODEL_RUNS ?? 40);
const hour = 3_600_000;

type Purpose = 'MARKETING' | 'SUPPORT';
type Scope = 'MARKETING' | 'ALL';
type Step =
  | { do: 'create'; who: number }
  | { do: 'attach'; who: number }
  | { do: 'inbound'; who: number }
  | { do: 'wait'; who: number }
  | { do: 'consent'; who: number; purpose: Purpose; status: string; hours: number | null }
  | { do: 'suppress'; who: number; scope: Scope; reason: string; hours: number | null }
  | { do: 'lift'; who: number; scope: Scope | null }
  | { do: 'merge' | 'mergeAndBack'; who: number; other: number }
  | { do: 'revert'; which: number };

const who = fc.nat(5);
const scope = fc.constantFrom<Scope>('MARKETING', 'ALL');
const hours = fc.option(fc.integer({ min: 1, max: 30 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), who }),
  fc.record({ do: fc.constant('attach' as const), who }),
  fc.record({ do: fc.constant('inbound' as const), who }),
  fc.record({ do: fc.constant('wait' as const), who }),
  fc.record({
    do: fc.constant('consent' as const),
    who,
    purpose: fc.constantFrom<Purpose>('MARKETING', 'SUPPORT'),
    status: fc.constantFrom('OPTED_IN', 'OPTED_OUT', 'REVOKED'),
    hours,
  }),
  fc.record({
    do: fc.constant('suppress' as const),
    who,
    scope,
    reason: fc.constantFrom('COMPLAINT', 'KEYWORD_OPT_OUT'),
    hours,
  }),
  fc.record({ do: fc.constant('lift' as const), who, scope: fc.option(scope) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('merge', 'mergeAndBack'), who, other: who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), which: fc.nat(3) }) },
);

type Person = { sid: string; mergedInto: Person | null };
type Owned = { holder: Person };
type Suppression = Owned & {
  sid: string;
  scope: Scope;
  reason: string;
  expires: number | null;
  lifted: boolean;
};
type Merge = {
  id: string;
  survivor: Person;
  merged: Person;
  redirected: Person[];
  things: Owned[];
  reverted: boolean;
};

type Model = {
  people: Person[];
  identifiers: (Owned & { value: string })[];
  consents: { by: Person; body: Record<string, unknown> }[];
  suppressions: Suppression[];
  windows: (Owned & { origin: Person; until: number })[];
  merges: Merge[];
};

const nobody = (): Model => ({
  people: [],
  identifiers: [],
  consents: [],
  suppressions: [],
  windows: [],
  merges: [],
});

const live = (person: Person): Person => person.mergedInto ?? person;

function mergeModel(model: Model, id: string, survivor: Person, merged: Person): void {
  const redirected = model.people.filter((person) => person.mergedInto === merged);
  const things = [...model.identifiers, ...model.suppressions, ...model.windows].filter(
    (thing) => thing.holder === merged,
  );
  for (const person of [...redirected, merged]) person.mergedInto = survivor;
  for (const thing of things) thing.holder = survivor;
  model.merges.push({ id, survivor, merged, redirected, things, reverted: false });
}

function revertModel(merge: Merge): void {
  merge.reverted = true;
  merge.merged.mergedInto = null;
  for (const person of merge.redirected) person.mergedInto = merge.merged;
  for (const thing of merge.things) thing.holder = merge.merged;
}

type World = { app: TestApp; people: People; model: Model; sender: string };

const instant = (app: TestApp, inHours: number | null) =>
  inHours === null ? undefined : new Date(app.clock.now().getTime() + inHours * hour).toISOString();

async function create({ app, people, model }: World): Promise<void> {
  const value = newPhone();
  app.clock.advance(1);
  const { sid } = await people.contact({ identifiers: [phone(value)] });
  const person: Person = { sid, mergedInto: null };
  model.people.push(person);
  model.identifiers.push({ value, holder: person });
}

async function take(world: World, next: Step): Promise<void> {
  const { app, people, model } = world;
  if (next.do === 'create') return create(world);
  if (next.do === 'wait') return app.clock.advance((next.who + 1) * 5 * hour);
  if (next.do === 'revert') return revert(world, next.which);
  const person = model.people[next.who % model.people.length]!;
  const refusal = person.mergedInto ? 409 : null;
  const path = `${app.at}/contacts/${person.sid}`;
  switch (next.do) {
    case 'attach': {
      const own = model.identifiers.find(({ holder }) => holder === live(person))!;
      const value = newPhone();
      const { sid } = await people.contact({ identifiers: [phone(own.value), phone(value)] });
      assert.equal(sid, own.holder.sid);
      model.identifiers.push({ value, holder: own.holder });
      return;
    }
    case 'inbound': {
      await people.inbound(world.sender, person.sid);
      const origin = live(person);
      const until = app.clock.now().getTime() + 24 * hour;
      const known = model.windows.find((window) => window.origin === origin);
      if (known) known.until = until;
      else model.windows.push({ origin, holder: origin, until });
      return;
    }
    case 'consent': {
      const { purpose, status } = next;
      const body = { purpose, status, source: 'API', expiresAt: instant(app, next.hours) };
      const reply = await app.post(`${path}/consents`, body);
      assert.equal(reply.status, refusal ?? 201, reply.text);
      if (!refusal) model.consents.push({ by: person, body: reply.body });
      return;
    }
    case 'suppress': {
      const { scope: of, reason } = next;
      const expires = next.hours === null ? null : app.clock.now().getTime() + next.hours * hour;
      const body = { scope: of, reason, source: 'model', expiresAt: instant(app, next.hours) };
      const reply = await app.post(`${path}/suppressions`, body);
      assert.equal(reply.status, refusal ?? 201, reply.text);
      if (refusal) return;
      const same = model.suppressions
        .filter(
          (one) => one.holder === person && one.scope === of && one.reason === reason && inForce(app, one),
        )
        .sort((a, b) => (a.sid < b.sid ? 1 : -1))[0];
      if (!same) {
        model.suppressions.push({
          sid: reply.body.sid,
          holder: person,
          scope: of,
          reason,
          expires,
          lifted: false,
        });
        return;
      }
      assert.equal(reply.body.sid, same.sid);
      if (same.expires !== null) same.expires = expires === null ? null : Math.max(same.expires, expires);
      return;
    }
    case 'lift': {
      const reply = await app.delete(`${app.at}/suppressions`, {
        contactSid: person.sid,
        ...(next.scope && { scope: next.scope }),
      });
      assert.equal(reply.status, refusal ?? 200, reply.text);
      if (refusal) return;
      const lifted = model.suppressions.filter(
        (one) => one.holder === person && inForce(app, one) && (!next.scope || one.scope === next.scope),
      );
      assert.deepEqual(sidsOf(reply.body.data), sidsOf(lifted));
      for (const one of lifted) one.lifted = true;
      return;
    }
    default:
      return merge(
        world,
        person,
        model.people[next.other % model.people.length]!,
        next.do === 'mergeAndBack',
      );
  }
}

const inForce = (app: TestApp, { lifted, expires }: Suppression) =>
  !lifted && (expires === null || expires > app.clock.now().getTime());
const sidsOf = (list: { sid: string }[]) => list.map(({ sid }) => sid).sort();

async function merge(world: World, survivor: Person, merged: Person, andBack: boolean): Promise<void> {
  const { app, people, model, sender } = world;
  const portraits = () => Promise.all([survivor, merged].map(({ sid }) => portrait(app, sid, sender)));
  const before = andBack ? await portraits() : null;
  const reply = await app.post(`${app.at}/contacts/${survivor.sid}/merge`, {
    mergeContactSid: merged.sid,
    reason: 'model',
  });
  const expected = survivor === merged ? 400 : survivor.mergedInto || merged.mergedInto ? 409 : 200;
  assert.equal(reply.status, expected, reply.text);
  if (expected !== 200) return;
  if (!before) return mergeModel(model, reply.body.id, survivor, merged);
  assert.equal((await people.revert(reply.body.id)).status, 200);
  assert.deepEqual(await portraits(), before, 'a revert right after the merge restores both exactly');
}

async function revert({ people, model }: World, which: number): Promise<void> {
  const found = model.merges[which];
  if (!found) return;
  const reply = await people.revert(found.id);
  const possible = !found.reverted && found.survivor.mergedInto === null;
  assert.equal(reply.status, possible ? 200 : 409, reply.text);
  if (possible) revertModel(found);
}

/** Everything the service tells of everybody is what the model expects. */
async function compare({ app, people, model, sender }: World): Promise<void> {
  const now = app.clock.now().getTime();
  for (const person of model.people) {
    const contact = await people.read(person.sid);
    const own = <T extends Owned>(things: T[]) => things.filter(({ holder }) => holder === person);
    assert.equal(contact.mergedInto, person.mergedInto?.sid ?? null);
    assert.equal(contact.status, person.mergedInto ? 'MERGED' : 'ACTIVE');
    const values = contact.identifiers.map(({ value }: { value: string }) => value);
    assert.deepEqual(
      values.sort(),
      own(model.identifiers)
        .map(({ value }) => value)
        .sort(),
    );
    const records = model.consents.filter(({ by }) => live(by) === person && !person.mergedInto);
    assert.deepEqual(await people.consents(person.sid), records.map(({ body }) => body).reverse());
    for (const purpose of ['MARKETING', 'SUPPORT'] as const) {
      const last = records.findLast(({ body }) => body.purpose === purpose)?.body as
        | { sid: string; status: string; expiresAt: string | null }
        | undefined;
      const expired = last?.expiresAt && Date.parse(last.expiresAt) <= now;
      assert.equal(contact.consent[purpose].status, expired ? 'EXPIRED' : (last?.status ?? 'UNKNOWN'));
      assert.equal(contact.consent[purpose].consentSid, last?.sid ?? null);
    }
    const suppressions = await people.suppressions(person.sid);
    assert.deepEqual(sidsOf(suppressions), sidsOf(own(model.suppressions)));
    assert.deepEqual(
      sidsOf(suppressions.filter(({ active }: { active: boolean }) => active)),
      sidsOf(own(model.suppressions).filter((one) => inForce(app, one))),
    );
    const windows = model.windows.filter(({ holder }) => holder === live(person));
    const until = Math.max(0, ...windows.map((window) => window.until));
    const window = await people.window(sender, person.sid);
    assert.equal(window.expiresAt, until ? new Date(until).toISOString() : null);
    assert.equal(window.open, until > now);
  }
}

/** What must hold in the database at every moment. */
async function invariants(app: TestApp): Promise<void> {
  const broken = {
    'an identifier belongs to a live contact': `contact_identifiers i
      join contacts c on c.account_sid = i.account_sid and c.sid = i.contact_sid where c.merged_into is not null`,
    'merged_into names a live contact': `contacts m
      join contacts s on s.account_sid = m.account_sid and s.sid = m.merged_into where s.merged_into is not null`,
    'a merged contact has exactly one standing merge': `contacts c where merged_into is not null and 1 <>
      (select count(*) from contact_merges m where m.merged_sid = c.sid and reverted_at is null)`,
    'what counts is what the ledger says': `(
      select distinct on (coalesce(c.merged_into, c.sid), purpose) coalesce(c.merged_into, c.sid) as contact, purpose,
          l.sid, l.sequence, l.status, l.expires_at
        from consents l join contacts c on c.account_sid = l.account_sid and c.sid = l.contact_sid
       order by 1, 2, l.sequence desc) derived
      full join consent_states s on s.contact_sid = derived.contact and s.purpose = derived.purpose
      where (derived.sid, derived.sequence, derived.status, derived.expires_at)
        is distinct from (s.consent_sid, s.sequence, s.status, s.expires_at)`,
    'every event of a removal is of one row': `(select resource_sid from events where type = 'suppression.removed'
      group by 1 having count(*) > 1) twice`,
  };
  for (const [what, where] of Object.entries(broken)) assert.equal(await app.count(where), 0, what);
  for await (const report of verifyConsents(app.database)) assert.equal(report.broken, null);
}

test(`any sequence of consent, suppression, merge, revert and lift keeps what was promised (${runs} runs)`, async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
      const world: World = { app, people, model: nobody(), sender: await people.sender() };
      for (let i = 0; i < 3; i += 1) await create(world);
      for (const next of steps) await take(world, next);
      await compare(world);
      await invariants(app);
    }),
    { numRuns: runs, endOnFailure: false },
  );
});

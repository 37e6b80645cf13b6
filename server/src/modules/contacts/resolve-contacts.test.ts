import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { countingStatements } from '../../../test/harness/statements.ts';
import type { TenantTx } from '../../platform/db/database.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { consentsOf } from '../consent/index.ts';
import { contactsFor, type Identifier, type Resolved, requireFound, resolveContacts } from './index.ts';

let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const write = <T>(accountSid: string, work: (t: TenantTx) => Promise<T>) =>
  app.database.write(
    { accountSid, livemode: false },
    { principal: systemPrincipal('test', false), now: app.clock.now(), requestId: 'test', log: silentLog },
    work,
  );

const username = (name: string): Identifier => ({ identifierType: 'username', value: name, scopeRef: null });

/** Which identifiers belong together, which contacts were taken for one, and under which name each goes. */
async function picture(accountSid: string) {
  const contacts = await app.sql<{ sid: string; names: string; shown: string }>(
    `select c.sid, c.display_name as shown, (select string_agg(word, ' ' order by word) from unnest(string_to_array(c.search, ' ')) word) as search,
       (select string_agg(value, ',' order by value) from contact_identifiers i where i.contact_sid = c.sid) as names
       from contacts c where c.account_sid = $1`,
    [accountSid],
  );
  const of = new Map(contacts.map(({ sid, names }) => [sid, names]));
  const conflicts = await app.sql<{ a: string; b: string }>(
    'select contact_sid as a, other_contact_sid as b from contact_conflicts where account_sid = $1',
    [accountSid],
  );
  return {
    contacts: contacts.map(({ sid: _, ...rest }) => JSON.stringify(rest)).sort(),
    conflicts: conflicts.map(({ a, b }) => [of.get(a), of.get(b)].sort().join(' / ')).sort(),
  };
}

suite('many contacts at once', () => {
  test('become what they would have become one after the other', async () => {
    const names = ['ann', 'bea', 'cat', 'dan', 'eve', 'fay'];
    const entry = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 4 }),
        fc.array(entry, { minLength: 1, maxLength: 8 }),
        async (first, then) => {
          const [one, many] = [(await app.newAccount()).accountSid, (await app.newAccount()).accountSid];
          const entries = (of: string[][]) =>
            of.map((list, i) => ({
              identifiers: list.map(username),
              profile: { displayName: `${list} ${i}` },
            }));
          for (const batch of [first, then]) {
            for (const entry of entries(batch)) {
              await write(one, (t) => resolveContacts(t, { consentsOf }, [entry]));
            }
            await write(many, (t) => resolveContacts(t, { consentsOf }, entries(batch)));
          }
          assert.deepEqual(await picture(many), await picture(one));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('sent by two at the same time make every contact once', async () => {
    const { accountSid } = await app.newAccount();
    const entries = Array.from({ length: 200 }, (_, i) => ({
      identifiers: [username(`same.${i}`)],
      profile: {},
    }));
    const both = await Promise.all(
      [entries, entries.toReversed()].map((of) =>
        write(accountSid, (t) => resolveContacts(t, { consentsOf }, of)),
      ),
    );
    const sids = both.map((resolved) =>
      resolved.map((one) => ('contactSid' in one ? one.contactSid : null)).sort(),
    );
    assert.deepEqual(sids[0], sids[1]);
    assert.equal(await app.count(`contacts where account_sid = '${accountSid}'`), 200);
    assert.equal(
      await app.count(`events where account_sid = '${accountSid}' and type = 'contact.created'`),
      200,
    );
  });

  test('that would give one more than 100 identifiers refuse that entry alone', async () => {
    const { accountSid } = await app.newAccount();
    const grow = (from: number, count: number) => ({
      identifiers: [username('big'), ...Array.from({ length: count }, (_, i) => username(`big.${from + i}`))],
      profile: {},
    });
    const resolved = await write(accountSid, (t) =>
      resolveContacts(t, { consentsOf }, [grow(0, 40), grow(40, 40), grow(80, 20), grow(80, 19)]),
    );
    assert.deepEqual(
      resolved.map((one) => ('issue' in one ? one.issue.path : one.outcome)),
      ['created', 'updated', 'identifiers', 'updated'],
    );
    assert.equal(await app.count(`contact_identifiers where account_sid = '${accountSid}'`), 100);
  });

  test('cost as many statements as one: new, known, gaining and conflicting ones', async () => {
    const { accountSid } = await app.newAccount();
    const entriesOf = (group: string, size: number) =>
      Array.from({ length: size }, (_, i) => [
        [username(`${group}.new.${i}`)],
        [username(`${group}.known.${i}`)],
        [username(`${group}.known.${i}`), username(`${group}.gained.${i}`)],
        [username(`${group}.known.${i}`), username(`${group}.other.${i}`)],
      ])
        .flat()
        .map((identifiers) => ({ identifiers, profile: {} }));
    const costOf = async (group: string, size: number) => {
      const known = ['known', 'other'].flatMap((name) =>
        Array.from({ length: size }, (_, i) => username(`${group}.${name}.${i}`)),
      );
      await write(accountSid, (t) => contactsFor(t, { consentsOf }, known));
      return write(accountSid, async (given) => {
        const { t, count } = countingStatements(given);
        const resolved = await resolveContacts(t, { consentsOf }, entriesOf(group, size), { lock: true });
        return [count(), resolved.filter((one) => 'outcome' in one && one.conflictsWith.length > 0).length];
      });
    };
    const [one, conflict] = (await costOf('one', 1)) as [number, number];
    const [many, conflicts] = (await costOf('many', 50)) as [number, number];
    assert.deepEqual([conflict, conflicts], [1, 50]);
    assert.equal(many, one);
  });

  test('wait for whoever is just being made by somebody else, find them and bring what is new about them', async () => {
    const { accountSid } = await app.newAccount();
    const entry = (...names: string[]) => ({ identifiers: names.map(username), profile: {} });
    const resolve = (t: TenantTx, ...entries: ReturnType<typeof entry>[]) =>
      resolveContacts(t, { consentsOf }, entries);
    let tries = 0;
    let rival: Promise<Resolved[]> | undefined;
    const [first] = await write(accountSid, async (t) => {
      const made = await resolve(t, entry('met.b'));
      rival = write(accountSid, (other) => {
        tries += 1;
        return resolve(other, entry('met.a', 'met.b'), entry('met.c'), entry('met.a'));
      });
      await waitersAre(app, 1);
      return made;
    });
    const { contactSid } = requireFound(first!);
    const second = (await rival!).map(requireFound);
    assert.deepEqual(
      second.map(({ outcome }) => outcome),
      ['updated', 'created', 'unchanged'],
    );
    assert.deepEqual([second[0]!.contactSid, second[2]!.contactSid], [contactSid, contactSid]);
    assert.equal(tries, 1, 'nothing was begun again');
    const { contacts } = await picture(accountSid);
    assert.deepEqual(contacts.map((one) => JSON.parse(one).names).sort(), ['met.a,met.b', 'met.c']);
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bearer } from '../../../test/harness/app.ts';
import { peopleOf, phone, refused } from '../../../test/harness/contacts.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { newPhone } from './fixtures.ts';

const newApp = ownAccounts();

suite('finding or creating a contact', () => {
  test('the first request creates it, the same number in any form finds it', async () => {
    const app = await newApp();
    const body = {
      identifiers: [phone('+33612345678')],
      displayName: 'Inès Martin',
      locale: 'fr',
      timezone: 'Europe/Paris',
      attributes: { plan: 'gold', visits: 3, tags: ['a', { b: null }] },
    };
    const made = await app.post(`${app.at}/contacts`, body);
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `${app.at}/contacts/${made.body.sid}`);
    assert.deepEqual(made.body.identifiers, [{ ...phone('+33612345678'), scopeRef: null }]);
    assert.deepEqual(made.body.attributes, body.attributes);
    assert.equal(made.body.consent.MARKETING.status, 'UNKNOWN');
    for (const again of [
      { identifiers: [phone('06 12 34 56 78')], defaultCountry: 'fr' },
      { identifiers: [phone('0033 6 12 34 56 78')] },
      { identifiers: [phone('+33612345678')], displayName: 'Somebody else', attributes: { plan: 'none' } },
    ]) {
      const found = await app.post(`${app.at}/contacts`, again);
      assert.equal(found.status, 200, found.text);
      assert.deepEqual(found.body, made.body);
    }
    assert.deepEqual((await app.get(`${app.at}/contacts/${made.body.sid}`)).body, made.body);
    assert.deepEqual(await app.emitted(), ['contact.created']);
  });

  test('a username is found in any case, a bsuid only in its scope', async () => {
    const app = await newApp();
    const make = (identifier: object) => app.post(`${app.at}/contacts`, { identifiers: [identifier] });
    const bsuid = { identifierType: 'bsuid', value: 'FR.48120077310552911', scopeRef: 'portfolio-1' };
    const person = await make({ identifierType: 'username', value: 'Ines.M' });
    assert.equal(person.status, 201);
    assert.equal((await make({ identifierType: 'username', value: '@ines.m' })).body.sid, person.body.sid);
    const scoped = await make(bsuid);
    assert.equal(scoped.status, 201);
    assert.equal((await make(bsuid)).body.sid, scoped.body.sid);
    assert.equal((await make({ ...bsuid, scopeRef: 'portfolio-2' })).status, 201);
    refused(
      await make({ ...bsuid, scopeRef: undefined }),
      400,
      'VALIDATION_ERROR',
      'identifiers[0].scopeRef',
    );
  });

  test("unknown identifiers beside a known one become the contact's own", async () => {
    const app = await newApp();
    const [known, unknown] = [phone(), { identifierType: 'username', value: 'ines' }];
    const made = await app.post(`${app.at}/contacts`, { identifiers: [known] });
    app.clock.advance(1_000);
    const found = await app.post(`${app.at}/contacts`, { identifiers: [unknown, known] });
    assert.deepEqual([found.status, found.body.sid], [200, made.body.sid]);
    assert.equal(found.body.identifiers.length, 2);
    assert.notEqual(found.body.updatedAt, made.body.updatedAt);
    assert.deepEqual(await app.emitted(), ['contact.created', 'contact.updated']);
    const search = await app.get(`${app.at}/contacts?q=ines`);
    assert.equal(search.body.data[0].sid, made.body.sid);
  });

  test('identifiers are shown in the order they were given', async () => {
    const app = await newApp();
    const identifiers = Array.from({ length: 12 }, () => ({ ...phone(), scopeRef: null })).reverse();
    const made = await peopleOf(app).contact({ identifiers });
    assert.deepEqual(made.identifiers, identifiers);
    assert.deepEqual((await peopleOf(app).read(made.sid)).identifiers, identifiers);
  });

  test('accounts and environments each have their own contact with a number', async () => {
    const app = await newApp();
    const stranger = await app.newAccount();
    const body = { identifiers: [phone()] };
    const sids = [
      await app.post(`${app.at}/contacts`, body),
      await app.post(`${app.at}/contacts`, body, bearer(app.liveKey)),
      await app.post(`/v1/accounts/${stranger.accountSid}/contacts`, body, bearer(stranger.sandboxKey)),
    ].map((reply) => reply.body.sid);
    assert.equal(new Set(sids).size, 3);
    for (const key of [app.sandboxKey, app.liveKey]) {
      const found = await app.get(
        `${app.at}/contacts?q=${encodeURIComponent(body.identifiers[0]!.value)}`,
        bearer(key),
      );
      assert.equal(found.body.data.length, 1);
    }
  });

  test('bad input is named at its place and leaves nothing behind', async () => {
    const app = await newApp();
    const deep = JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`);
    const cases: [object, string][] = [
      [{ identifiers: [] }, 'identifiers'],
      [{ identifiers: Array.from({ length: 1_000 }, () => phone()) }, 'identifiers'],
      [{ identifiers: [phone('06 12 34 56 78')] }, 'identifiers[0].value'],
      [{ identifiers: [phone(), phone('+33')] }, 'identifiers[1].value'],
      [{ identifiers: [phone('+999123456')] }, 'identifiers[0].value'],
      [{ identifiers: [{ identifierType: 'email', value: 'a@b.example' }] }, 'identifiers[0].identifierType'],
      [{ identifiers: [{ ...phone(), extra: 1 }] }, 'identifiers[0].extra'],
      [{ identifiers: [phone()], defaultCountry: 'ZZ' }, 'defaultCountry'],
      [{ identifiers: [phone()], timezone: 'Mars/Olympus' }, 'timezone'],
      [{ identifiers: [phone()], locale: 'not a locale' }, 'locale'],
      [{ identifiers: [phone()], attributes: { text: 'x'.repeat(65 * 1024) } }, 'attributes'],
      [{ identifiers: [phone()], attributes: deep }, 'attributes'],
      [
        {
          identifiers: [phone()],
          attributes: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`n${i}`, 1])),
        },
        'attributes',
      ],
      [{ identifiers: [phone()], attributes: { ['n'.repeat(129)]: 1 } }, 'attributes'],
      [{ identifiers: [phone()], attributes: [] }, 'attributes'],
    ];
    for (const [body, path] of cases)
      refused(await app.post(`${app.at}/contacts`, body), 400, 'VALIDATION_ERROR', path);
    const huge = await app.post(`${app.at}/contacts`, {
      identifiers: [phone()],
      attributes: { text: 'x'.repeat(10 * 1024 * 1024) },
    });
    refused(huge, 400, 'VALIDATION_ERROR');
    for (const table of ['contacts', 'contact_identifiers', 'events', 'idempotency_keys']) {
      assert.equal(await app.count(table), 0, table);
    }
  });

  test('a contact gains no more than 100 identifiers', async () => {
    const app = await newApp();
    const own = phone();
    const more = (count: number) => ({ identifiers: [own, ...Array.from({ length: count }, () => phone())] });
    assert.equal((await app.post(`${app.at}/contacts`, more(49))).status, 201);
    assert.equal((await app.post(`${app.at}/contacts`, more(49))).status, 200);
    assert.equal((await app.post(`${app.at}/contacts`, more(1))).status, 200);
    refused(await app.post(`${app.at}/contacts`, more(1)), 400, 'VALIDATION_ERROR', 'identifiers');
    assert.equal(await app.count('contact_identifiers'), 100);
  });
});

suite('changing a contact', () => {
  test('attributes change name by name, null removes, the rest stays', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact({
      displayName: 'Inès',
      attributes: { plan: 'gold', visits: 3, address: { city: 'Lyon', zip: '69001' } },
    });
    const path = `${app.at}/contacts/${sid}`;
    const changed = await app.patch(path, {
      attributes: { plan: null, visits: 4, address: { city: 'Paris' } },
    });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body.attributes, { visits: 4, address: { city: 'Paris' } });
    assert.equal(changed.body.displayName, 'Inès');
    const cleared = await app.patch(path, { displayName: null, locale: null, timezone: null });
    assert.equal(cleared.body.displayName, null);
    assert.deepEqual(await app.emitted(), ['contact.created', 'contact.updated', 'contact.updated']);
    assert.equal((await app.get(`${app.at}/contacts?q=in%C3%A8s`)).body.data.length, 0);
  });

  test('with expectedUpdatedAt a change is refused once somebody was faster, naming the current value', async () => {
    const app = await newApp();
    const { sid, updatedAt } = await peopleOf(app).contact();
    const path = `${app.at}/contacts/${sid}`;
    // The clock stands still: even within one millisecond the two must be told apart.
    const first = await app.patch(path, { displayName: 'First', expectedUpdatedAt: updatedAt });
    assert.equal(first.status, 200);
    const second = await app.patch(path, { displayName: 'Second', expectedUpdatedAt: updatedAt });
    refused(second, 409, 'CONFLICT', 'expectedUpdatedAt');
    assert.ok(second.text.includes(first.body.updatedAt));
    const third = await app.patch(path, { displayName: 'Third', expectedUpdatedAt: first.body.updatedAt });
    assert.equal(third.status, 200);
    assert.equal((await app.get(path)).body.displayName, 'Third');
  });

  test('attributes stay within their bounds over many changes', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact({ attributes: { a: 'x'.repeat(40_000) } });
    const path = `${app.at}/contacts/${sid}`;
    refused(
      await app.patch(path, { attributes: { b: 'x'.repeat(40_000) } }),
      400,
      'VALIDATION_ERROR',
      'attributes',
    );
    assert.deepEqual(Object.keys((await app.get(path)).body.attributes), ['a']);
    assert.equal((await app.patch(path, { attributes: { a: null, b: 'x'.repeat(40_000) } })).status, 200);
  });

  test('20 clients that change different attributes at once lose none', async () => {
    const app = await newApp();
    const { sid } = await peopleOf(app).contact();
    const path = `${app.at}/contacts/${sid}`;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => app.patch(path, { attributes: { [`name${i}`]: i } })),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(Object.keys((await app.get(path)).body.attributes).length, 20);
  });

  test('of 20 clients that expect the same version one wins', async () => {
    const app = await newApp();
    const { sid, updatedAt } = await peopleOf(app).contact();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        app.patch(`${app.at}/contacts/${sid}`, { displayName: `${i}`, expectedUpdatedAt: updatedAt }),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal(replies.filter(({ status }) => status === 409).length, 19);
  });

  test('a change that says nothing changes nothing', async () => {
    const app = await newApp();
    const contact = await peopleOf(app).contact();
    app.clock.advance(1_000);
    assert.deepEqual((await app.patch(`${app.at}/contacts/${contact.sid}`, {})).body, contact);
    assert.deepEqual(await app.emitted(), ['contact.created']);
  });
});

suite('listing contacts', () => {
  test('pages show every contact once, newest first, also while others are added', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      app.clock.advance(1);
      made.push((await people.contact()).sid);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await app.get(`${app.at}/contacts?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.body.data.map(({ sid }: { sid: string }) => sid));
      cursor = page.body.nextCursor ?? '';
      app.clock.advance(1);
      await people.contact();
    } while (cursor);
    assert.deepEqual(seen, made.reverse());
  });

  test('search pages too, and a cursor of one question is none of another', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    for (let i = 0; i < 5; i += 1) await people.contact({ displayName: `Anna ${i}` });
    for (let i = 0; i < 5; i += 1) await people.contact({ displayName: `Boris ${i}` });
    const first = await app.get(`${app.at}/contacts?q=anna&limit=3`);
    assert.deepEqual([first.body.data.length, first.body.hasMore], [3, true]);
    const rest = await app.get(`${app.at}/contacts?q=anna&limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual([rest.body.data.length, rest.body.hasMore, rest.body.nextCursor], [2, false, null]);
    for (const path of ['contacts?q=boris', 'contacts', 'contacts/merges', 'suppressions']) {
      const sign = path.includes('?') ? '&' : '?';
      const moved = await app.get(`${app.at}/${path}${sign}limit=3&cursor=${first.body.nextCursor}`);
      refused(moved, 400, 'VALIDATION_ERROR', 'cursor');
    }
    const live = await app.get(
      `${app.at}/contacts?q=anna&limit=3&cursor=${first.body.nextCursor}`,
      bearer(app.liveKey),
    );
    refused(live, 400, 'VALIDATION_ERROR', 'cursor');
  });

  test('q finds by name and by identifier, at the beginning and inside', async () => {
    const app = await newApp();
    const people = peopleOf(app);
    const { sid } = await people.contact({
      displayName: 'Zoë Quartermain-Öztürk',
      identifiers: [phone('+33699887766'), { identifierType: 'username', value: 'zoe.q' }],
    });
    await people.contact({ displayName: 'Somebody Else' });
    for (const q of [
      'zoe',
      'ZOË',
      'quart',
      'ozturk',
      'main-',
      '+33699',
      '0699887766',
      '9988',
      'zoe.q',
      'zo',
    ]) {
      const found = await app.get(`${app.at}/contacts?q=${encodeURIComponent(q)}`);
      assert.deepEqual(
        found.body.data.map((contact: { sid: string }) => contact.sid),
        [sid],
        q,
      );
    }
    for (const q of ['zoe%', 'z_e', 'nobody', '+3369988776600']) {
      assert.equal((await app.get(`${app.at}/contacts?q=${encodeURIComponent(q)}`)).body.data.length, 0, q);
    }
  });

  test('identifier finds its owner, in any form, of any or of one type', async () => {
    const app = await newApp();
    const number = newPhone();
    const { sid } = await peopleOf(app).contact({
      identifiers: [phone(number), { identifierType: 'bsuid', value: 'FR.1', scopeRef: 'p1' }],
    });
    const ask = async (query: string) =>
      (await app.get(`${app.at}/contacts?${query}`)).body.data?.map(
        (contact: { sid: string }) => contact.sid,
      );
    const escaped = encodeURIComponent(number);
    for (const query of [
      `identifier=${escaped}`,
      `identifier=${number}`,
      `identifier=${escaped}&identifierType=phone_e164`,
      'identifier=FR.1',
      'identifier=FR.1&identifierType=bsuid&scopeRef=p1',
    ]) {
      assert.deepEqual(await ask(query), [sid], query);
    }
    assert.deepEqual(await ask('identifier=FR.1&identifierType=bsuid&scopeRef=p2'), []);
    assert.deepEqual(await ask(`identifier=${escaped}&identifierType=username`), undefined);
    refused(
      await app.get(`${app.at}/contacts?identifierType=bsuid`),
      400,
      'VALIDATION_ERROR',
      'identifierType',
    );
    const national = await app.get(`${app.at}/contacts?identifier=0612345678&identifierType=phone_e164`);
    refused(national, 400, 'VALIDATION_ERROR', 'identifier');
  });

  test('the search of one account never sees another, whatever it is asked', async () => {
    const app = await newApp();
    const stranger = await app.newAccount();
    await peopleOf(app).contact({ displayName: 'Secret Person' });
    const found = await app.get(
      `/v1/accounts/${stranger.accountSid}/contacts?q=secret`,
      bearer(stranger.sandboxKey),
    );
    assert.deepEqual(found.body.data, []);
    // Also when the statement itself asks for the other account.
    const direct = await app.sql<{ n: number }>(
      `select count(*)::int as n from (select set_config('app.accounts', $1, true), set_config('app.livemode', 'false', true)) s,
         find_contacts($2, false, '%', null, 10)`,
      [stranger.accountSid, app.accountSid],
    );
    assert.equal(direct[0]!.n, 0);
  });
});

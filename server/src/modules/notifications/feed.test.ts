import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { bearer, type Reply, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { type Desk, deskOf } from '../../../test/harness/inboxes.ts';
import { runCron } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { newSid } from '../../platform/ids.ts';
import type { Audience } from '../../platform/notifications.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../roles/index.ts';
import { sweepNotifications } from './crons.ts';
import { tell } from './fixtures.ts';
import { announce } from './index.ts';

let app: TestApp;
let desk: Desk;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
  desk = deskOf(app);
});

const day = 24 * 60 * 60 * 1000;
type Who = { headers: object };
type Told = Parameters<typeof tell>[1] & { accountSid?: string; livemode?: boolean };

/** A notification in the app's sandbox unless said otherwise, a moment after the last. */
function told({ accountSid = app.accountSid, livemode = false, ...notice }: Told = {}): Promise<string> {
  app.clock.advance(1);
  return tell({ app, owner: { accountSid, livemode, key: '' } }, notice);
}

const list = (who: Who, query = '', accountSid = app.accountSid) =>
  app.get(`/v1/accounts/${accountSid}/notifications${query}`, who.headers);
const read = (who: Who, id: string, accountSid = app.accountSid) =>
  app.post(`/v1/accounts/${accountSid}/notifications/${id}/read`, undefined, who.headers);
const idsOf = ({ status, text, body }: Reply): string[] => {
  assert.equal(status, 200, text);
  return body.data.map(({ id }: { id: string }) => id);
};
const sees = async (who: Who, id: string) => idsOf(await list(who, '?limit=100')).includes(id);
const code = ({ status, body }: Reply) => [status, body?.error?.code ?? null];
const holder = (roles = ['ADMIN'], more: object = {}) => person(app, { roles, factor: 'none', ...more });
const to = (scope: string): Audience => ({ scope });
const keyWith = async (scopes: string[], of: object = {}) => ({
  headers: bearer((await app.key(['notifications:read', 'notifications:write', ...scopes], of)).key),
});

suite('the feed', () => {
  test('is newest first, page by page, and new rows do not move what was not yet shown', async () => {
    const them = await holder(['VIEWER']);
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.unshift(await told({ to: { principal: `user:${them.userSid}` } }));
    const first = await list(them, '?limit=2');
    await told({ to: { principal: `user:${them.userSid}` } });
    const second = await list(them, `?limit=2&cursor=${first.body.nextCursor}`);
    const third = await list(them, `?limit=2&cursor=${second.body.nextCursor}`);
    assert.deepEqual([...idsOf(first), ...idsOf(second), ...idsOf(third)].slice(0, 5), made);
  });

  test('tells what, about what, how often and since when, and nothing else', async () => {
    const them = await holder();
    const resource = newSid('TM', app.clock.now());
    const id = await told({ to: to('wabas:write'), resource });
    const at = app.clock.now().toISOString();
    const item = (await list(them)).body.data[0];
    assert.deepEqual(item, {
      object: 'notification',
      id,
      accountSid: app.accountSid,
      livemode: false,
      category: 'template_status',
      type: 'template.rejected',
      title: 'A template was rejected',
      body: `The provider rejected the template ${resource}. It cannot be sent until it is changed and approved.`,
      resource,
      count: 1,
      readAt: null,
      createdAt: at,
      lastAt: at,
    });
  });

  test('holds what is for somebody now: with the scope it is gone, and reading it is 404', async () => {
    const them = await holder(['DEVELOPER']);
    const [mine, others] = [await told({ to: to('webhooks:write') }), await told({ to: to('wabas:write') })];
    assert.deepEqual([await sees(them, mine), await sees(them, others)], [true, false]);
    assert.deepEqual(code(await read(them, others)), [404, 'NOT_FOUND']);
    await app.sql("update role_bindings set role = 'VIEWER' where principal_ref = $1", [them.userSid]);
    assert.equal(await sees(them, mine), false);
    assert.deepEqual(code(await read(them, mine)), [404, 'NOT_FOUND']);
  });

  test("shows an inbox's to its members, whether or not they reach others too, and to nobody else", async () => {
    const [inbox, other] = [await desk.inbox(), await desk.inbox()];
    const [agent, elsewhere] = [await desk.agent([inbox]), await desk.agent([other])];
    const [admin, joined] = [await holder(), await holder()];
    await desk.join(inbox, joined.userSid);
    const memberOnly = await holder(['BILLING_MANAGER']);
    await desk.join(inbox, memberOnly.userSid);
    const id = await told({ type: 'conversation.opened', to: { part: inbox } });
    const seen = await Promise.all([agent, joined, elsewhere, admin, memberOnly].map((who) => sees(who, id)));
    assert.deepEqual(seen, [true, true, false, false, false]);
    for (const who of [elsewhere, admin, memberOnly]) assert.equal((await read(who, id)).status, 404);
    assert.equal((await read(agent, id)).status, 200);
    await app.delete(`${app.at}/inboxes/${inbox}/members/${agent.userSid}`);
    assert.equal(await sees(agent, id), false);
    assert.equal((await read(agent, id)).status, 404);
  });

  test("shows one person's to them alone, for as long as they reach what it is about", async () => {
    const inbox = await desk.inbox();
    const [agent, colleague] = [await desk.agent([inbox]), await desk.agent([inbox])];
    const owner = await holder(['OWNER']);
    const principal = `user:${agent.userSid}`;
    const id = await told({ type: 'conversation.assigned', to: { principal, part: inbox } });
    assert.deepEqual(await Promise.all([agent, colleague, owner].map((who) => sees(who, id))), [
      true,
      false,
      false,
    ]);
    for (const who of [colleague, owner]) assert.deepEqual(code(await read(who, id)), [404, 'NOT_FOUND']);
    await app.delete(`${app.at}/inboxes/${inbox}/members/${agent.userSid}`);
    assert.equal(await sees(agent, id), false);
    assert.equal((await read(agent, id)).status, 404);
    await app.sql(
      "update role_bindings set role = 'AGENT', scope_kind = 'ACCOUNT', inbox_sid = null where principal_ref = $1",
      [agent.userSid],
    );
    assert.equal(await sees(agent, id), true, 'the account opens every inbox');
  });

  test("shows a key what is the account's within its scopes and what it began itself, and no inbox's or person's", async () => {
    const key = await keyWith(['wabas:write', 'operations:read', 'inboxes:read']);
    const { body: me } = await app.get('/v1/me', key.headers);
    const inbox = await desk.inbox();
    const them = await holder();
    const seen = await Promise.all(
      [
        await told({ to: to('wabas:write') }),
        await told({ type: 'operation.completed', to: { principal: `api_key:${me.principal.ref}` } }),
        await told({ to: to('webhooks:write') }),
        await told({ type: 'conversation.opened', to: { part: inbox } }),
        await told({ type: 'operation.completed', to: { principal: `user:${them.userSid}` } }),
      ].map((id) => sees(key, id)),
    );
    assert.deepEqual(seen, [true, true, false, false, false]);
  });

  test('keeps accounts and environments apart', async () => {
    const [sandbox, live] = [await holder(), await holder(['ADMIN'], { livemode: true })];
    const stranger = await app.newAccount();
    const [inSandbox, inLive, foreign] = [
      await told({ to: to('wabas:write') }),
      await told({ to: to('wabas:write'), livemode: true }),
      await told({ to: to('wabas:write'), accountSid: stranger.accountSid }),
    ];
    for (const [who, own, others] of [
      [sandbox, inSandbox, [inLive, foreign]],
      [live, inLive, [inSandbox, foreign]],
    ] as const) {
      assert.equal(await sees(who, own), true);
      for (const id of others) {
        assert.equal(await sees(who, id), false);
        assert.deepEqual(code(await read(who, id)), [404, 'NOT_FOUND']);
      }
    }
  });

  test('leaves out what a newer version wrote and this one has no words for', async () => {
    const them = await holder();
    const id = await told({ to: to('wabas:write') });
    await app.sql("update notifications set type = 'moon.eclipsed' where id = $1", [id]);
    assert.equal(await sees(them, id), false);
    assert.equal((await read(them, id)).status, 404);
  });

  test('refuses what is no truth value, cursor or id', async () => {
    const them = await holder();
    const refused = await list(them, '?unread=maybe');
    assert.deepEqual(
      [...code(refused), refused.body.error.details[0].path],
      [400, 'VALIDATION_ERROR', 'unread'],
    );
    for (const query of ['?unread=', '?unread=1', '?cursor=x', '?limit=0', '?read=true'])
      assert.deepEqual(code(await list(them, query)), [400, 'VALIDATION_ERROR'], query);
    assert.deepEqual(code(await read(them, 'TM01')), [400, 'VALIDATION_ERROR']);
    assert.deepEqual(code(await read(them, crypto.randomUUID())), [404, 'NOT_FOUND']);
  });
});

suite('reading', () => {
  test('is for oneself, once and for all, however often it is said', async () => {
    const [one, other] = [await holder(), await holder()];
    const id = await told({ to: to('wabas:write') });
    const first = await read(one, id);
    assert.deepEqual(
      [first.status, first.body.id, first.body.readAt],
      [200, id, app.clock.now().toISOString()],
    );
    app.clock.advance(5_000);
    assert.deepEqual((await read(one, id)).body, first.body);
    assert.equal(idsOf(await list(one, '?unread=true&limit=100')).includes(id), false);
    assert.equal(idsOf(await list(one, '?unread=false&limit=100')).includes(id), true);
    assert.equal((await list(one)).body.data[0].readAt, first.body.readAt);
    assert.equal((await list(other)).body.data[0].readAt, null);
    assert.equal(idsOf(await list(other, '?unread=true&limit=100')).includes(id), true);
  });

  test('the same Idempotency-Key answers the same, and for somebody else their own', async () => {
    const [one, other] = [await holder(), await holder()];
    const id = await told({ to: to('wabas:write') });
    const key = { 'idempotency-key': 'read-once' };
    const path = `${app.at}/notifications/${id}/read`;
    const first = await app.post(path, undefined, { ...one.headers, ...key });
    app.clock.advance(1_000);
    assert.equal((await app.post(path, undefined, { ...one.headers, ...key })).text, first.text);
    const theirs = await app.post(path, undefined, { ...other.headers, ...key });
    assert.deepEqual([theirs.status, theirs.body.readAt], [200, app.clock.now().toISOString()]);
  });

  test('ends when the same happens again', async () => {
    const them = await holder();
    const resource = newSid('TM', app.clock.now());
    const id = await told({ to: to('wabas:write'), resource });
    await read(them, id);
    assert.equal(await told({ to: to('wabas:write'), resource }), id);
    const item = (await list(them, '?unread=true')).body.data.find((one: { id: string }) => one.id === id);
    assert.deepEqual([item.count, item.readAt, item.lastAt], [2, null, app.clock.now().toISOString()]);
    assert.equal((await read(them, id)).body.readAt, app.clock.now().toISOString());
  });

  test('many at once leave one mark', async () => {
    const them = await holder();
    const id = await told({ to: to('wabas:write') });
    const replies = await Promise.all(Array.from({ length: 8 }, () => read(them, id)));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(await app.count(`notification_reads where notification_id = '${id}'`), 1);
  });
});

suite('what is announced', () => {
  const words = {
    en: { title: 'Sends are slow', body: 'We are looking into it.' },
    fr: { title: 'Les envois sont lents', body: 'Nous cherchons la cause.' },
  };
  const incident = async (): Promise<string> => {
    app.clock.advance(1);
    const announcement = { category: 'incident', words } as const;
    return (await app.database.system((s) => announce(s, app.clock.now(), announcement))).id;
  };

  test('is one row that everybody sees, in every account and environment, and reads for themselves', async () => {
    const id = await incident();
    const [sandbox, live] = [await holder(['VIEWER']), await holder(['AGENT'], { livemode: true })];
    const agent = await desk.agent([await desk.inbox()]);
    const stranger = await app.newAccount();
    const foreign = { headers: bearer((await app.key(['notifications:read'], stranger)).key) };
    for (const [who, accountSid] of [
      [sandbox, app.accountSid],
      [live, app.accountSid],
      [agent, app.accountSid],
      [foreign, stranger.accountSid],
    ] as const) {
      const [item] = (await list(who, '?unread=true', accountSid)).body.data;
      assert.deepEqual(
        [item.id, item.category, item.type, item.title, item.resource, item.accountSid],
        [id, 'incident', 'announcement.incident', 'Sends are slow', null, accountSid],
      );
      assert.equal((await read(who, id, accountSid)).status, 200);
      assert.equal(idsOf(await list(who, '?unread=true', accountSid)).includes(id), false);
    }
    assert.equal(await app.count(`announcements where id = '${id}'`), 1);
    assert.equal(await app.count(`notifications where id = '${id}'`), 0);
  });

  test('is paged with everything else', async () => {
    const them = await holder(['VIEWER']);
    const own = { principal: `user:${them.userSid}` };
    const made = [await told({ to: own }), await incident(), await told({ to: own })];
    const pages: string[] = [];
    let cursor = '';
    for (let at = 0; at < 3; at += 1) {
      const page = await list(them, `?limit=1${cursor}`);
      pages.unshift(...idsOf(page));
      cursor = `&cursor=${page.body.nextCursor}`;
    }
    assert.deepEqual(pages, made);
  });
});

suite('preferences', () => {
  const preferences = (who: Who) => app.get(`${app.at}/notification-preferences`, who.headers);
  const prefer = (who: Who, body: unknown) =>
    app.put(`${app.at}/notification-preferences`, body, who.headers);
  const speak = (who: Who, body: unknown) =>
    app.put(`${app.at}/notification-preferences/language`, body, who.headers);
  const mailed = ['sender_health', 'action_required', 'security', 'incident', 'billing'];

  test('tell all nine categories: in-app on, mail on where it matters, and off in the sandbox', async () => {
    const [live, sandbox] = [await holder(['VIEWER'], { livemode: true }), await holder(['VIEWER'])];
    const { body } = await preferences(live);
    assert.deepEqual(
      [body.object, body.locale, body.categories.length],
      ['notification_preferences', null, 9],
    );
    for (const { category, email, inApp } of body.categories)
      assert.deepEqual([email, inApp], [mailed.includes(category), true], category);
    for (const one of (await preferences(sandbox)).body.categories)
      assert.deepEqual([one.email, one.inApp], [false, true]);
  });

  test('are set one by one, for oneself and this environment, and answer with all', async () => {
    const [them, other] = [await holder(), await holder()];
    const elsewhere = await them.signInAgain({ livemode: true });
    const untouched = (await preferences(elsewhere)).body;
    const { status, body } = await prefer(them, { category: 'template_status', email: true, inApp: false });
    assert.equal(status, 200);
    assert.deepEqual((await preferences(them)).body, body);
    const find = (all: { categories: { category: string }[] }) =>
      all.categories.find(({ category }) => category === 'template_status');
    assert.deepEqual(find(body), { category: 'template_status', email: true, inApp: false });
    assert.deepEqual(find((await preferences(other)).body), {
      category: 'template_status',
      email: false,
      inApp: true,
    });
    assert.deepEqual((await preferences(elsewhere)).body, untouched);
  });

  test('hide a category from the feed until it is wanted again', async () => {
    const them = await holder();
    const id = await told({ to: to('wabas:write') });
    await prefer(them, { category: 'template_status', email: true, inApp: false });
    assert.equal(await sees(them, id), false);
    assert.equal((await read(them, id)).status, 200, 'a mail may have told of it');
    await prefer(them, { category: 'template_status', email: true, inApp: true });
    assert.equal(await sees(them, id), true);
  });

  test('refuse a category there is not, a missing switch and what is no switch, with the path', async () => {
    const them = await holder();
    const good = { category: 'security', email: true, inApp: true };
    for (const [body, path] of [
      [{ ...good, category: 'weather' }, 'category'],
      [{ ...good, category: null }, 'category'],
      [{ ...good, email: 'yes' }, 'email'],
      [{ category: 'security', email: true }, 'inApp'],
      [{ ...good, sms: true }, 'sms'],
    ] as const) {
      const reply = await prefer(them, body);
      assert.deepEqual([...code(reply), reply.body.error.details[0].path], [400, 'VALIDATION_ERROR', path]);
    }
  });

  test('choose the language of every notification; null follows the person', async () => {
    const them = await holder();
    await told({ to: to('wabas:write') });
    const title = async () => (await list(them)).body.data[0].title;
    assert.equal(await title(), 'A template was rejected');
    await app.sql("update users set locale = 'fr' where sid = $1", [them.userSid]);
    assert.equal(await title(), 'Un modèle a été refusé');
    const chosen = await speak(them, { locale: 'en' });
    assert.deepEqual(
      [chosen.status, chosen.body.locale, await title()],
      [200, 'en', 'A template was rejected'],
    );
    assert.equal((await preferences(them)).body.locale, 'en');
    assert.equal((await speak(them, { locale: null })).body.locale, null);
    assert.equal(await title(), 'Un modèle a été refusé');
    for (const body of [{ locale: 'de' }, { locale: 'EN' }, { locale: 5 }, {}]) {
      const reply = await speak(them, body);
      assert.deepEqual(
        [...code(reply), reply.body.error.details[0].path],
        [400, 'VALIDATION_ERROR', 'locale'],
      );
    }
  });

  test('of a key are kept, and its language is English until it chooses', async () => {
    const key = await keyWith(['wabas:write']);
    await told({ to: to('wabas:write') });
    const title = async () => (await list(key)).body.data[0].title;
    assert.equal(await title(), 'A template was rejected');
    await speak(key, { locale: 'fr' });
    assert.equal(await title(), 'Un modèle a été refusé');
    const { body } = await prefer(key, { category: 'billing', email: true, inApp: true });
    assert.deepEqual((await preferences(key)).body, body);
  });
});

suite('every role', () => {
  const everything = async (who: Who, id: string) => {
    const at = `${app.at}/notification-preferences`;
    const replies = [
      await list(who),
      await read(who, id),
      await app.get(at, who.headers),
      await app.put(at, { category: 'security', email: false, inApp: true }, who.headers),
      await app.put(`${at}/language`, { locale: 'fr' }, who.headers),
    ];
    return replies.map(({ status }) => status);
  };

  for (const role of Object.keys(roleCatalogue) as Role[]) {
    test(`${role}, on the account or in one inbox, has notifications of their own and of their scopes only`, async () => {
      const inbox = await desk.inbox();
      const [onAccount, inInbox] = [await holder([role]), await desk.agent([inbox], role)];
      for (const who of [onAccount, inInbox] as Person[]) {
        const id = await told({ to: { principal: `user:${who.userSid}` } });
        assert.deepEqual(await everything(who, id), [200, 200, 200, 200, 200]);
      }
      const scopes = ['wabas:write', 'webhooks:write', 'audit:read', 'organization:own', 'billing:read'];
      for (const scope of scopes) {
        const id = await told({ to: to(scope) });
        assert.equal(await sees(onAccount, id), scopesOfRole(role).includes(scope), scope);
        assert.equal(await sees(inInbox, id), false, 'a role in an inbox gives nothing on the account');
      }
    });
  }

  test('and a key with the scopes can do everything; one without can do nothing', async () => {
    const id = await told({ to: to('notifications:read') });
    assert.deepEqual(await everything(await keyWith([]), id), [200, 200, 200, 200, 200]);
    const reading = { headers: bearer((await app.key(['notifications:read'])).key) };
    assert.deepEqual(await everything(reading, id), [200, 200, 403, 403, 200]);
    const none = { headers: bearer((await app.key(['contacts:read'])).key) };
    assert.deepEqual(await everything(none, id), [403, 403, 403, 403, 403]);
    const nobody = { headers: { authorization: undefined } };
    assert.deepEqual(await everything(nobody, id), [401, 401, 401, 401, 401]);
  });
});

test('what was last told more than 90 days ago is removed, with its marks, and nothing else', async () => {
  const them = await holder();
  const old = await told({ to: to('wabas:write') });
  const words = { en: { title: 'a', body: 'b' }, fr: { title: 'c', body: 'd' } };
  const announced = await app.database.system((s) =>
    announce(s, app.clock.now(), { category: 'product_update', words }),
  );
  await read(them, old);
  app.clock.advance(90 * day - 1_000);
  const young = await told({ to: to('wabas:write') });
  const again = (await them.signInAgain()) as Who;
  await read(again, young);
  await runCron(app, sweepNotifications);
  assert.deepEqual([await sees(again, old), await sees(again, announced.id)], [true, true]);
  app.clock.advance(2_000);
  await runCron(app, sweepNotifications);
  assert.deepEqual(idsOf(await list(again, '?limit=100')), [young]);
  assert.equal(await app.count('notification_reads'), 1);
  assert.equal(await app.count('announcements'), 0);
});

// The form as a browser gets and posts it, without the browser.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Reply } from '../../../../test/harness/app.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { newPhone } from '../../contacts/fixtures.ts';
import { consentText, newAddress, type OptInApp, startOptInApp, ticketIn } from '../opt-in.test-data.ts';

let app: OptInApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startOptInApp(lifetime);
});

const records = async (phone: string) => (await app.consents(phone)).consents.length;
const isThanks = ({ status, text }: Reply) => status === 200 && text.includes('<h1>Thank you</h1>');
const noticeIn = ({ text }: Reply) => /<div id="problem"[^>]*>[\s\S]*?<\/div>/.exec(text)?.[0] ?? '';

suite('the page', () => {
  test('shows the words as text, in the language of the browser, and nothing of the label', async () => {
    const { path } = await app.link({ label: 'Secret label' });
    const page = await app.open(`${path}?fbclid=IwAR0&gclid=1&gclid=2`);
    assert.equal(page.status, 200);
    assert.match(page.text, /^<!doctype html>\n<html lang="en">/);
    const shown = consentText
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;');
    assert.ok(page.text.includes(`<label class="wording" for="agreed" dir="auto">${shown}</label>`));
    assert.ok(!page.text.includes('Secret label') && !page.text.includes(' checked'));
    const french = await app.open(path, { 'accept-language': 'de, fr-CH;q=0.9, en;q=0.5' });
    assert.match(french.text, /<html lang="fr">[\s\S]*Numéro WhatsApp/);
    assert.equal(french.headers.get('content-language'), 'fr');
    for (const name of ['content-security-policy', 'referrer-policy', 'x-content-type-options'])
      assert.ok(page.headers.get(name), name);
    assert.match(page.headers.get('content-security-policy')!, /form-action 'self'/);
    assert.ok(!page.headers.get('content-security-policy')!.includes('script-src'));
  });

  test('is JSON for programs on the same address', async () => {
    const link = await app.link();
    const { body } = await app.get(`${link.path}?x=1`, { authorization: undefined, 'accept-language': 'fr' });
    assert.deepEqual(body, {
      object: 'opt_in_form',
      organizationName: 'Test',
      purpose: 'MARKETING',
      consentText,
      wordingVersion: `${link.wordingVersion}:fr`,
      locale: 'fr',
      defaultCountry: 'FR',
    });
  });

  test('is gone from the moment its link is revoked, also where it was just shown', async () => {
    const link = await app.link();
    const ticket = ticketIn(app, await app.open(link.path));
    await app.post(`${app.at}/opt-in-links/${link.sid}/revoke`);
    const phone = newPhone();
    const reply = await app.postForm(link.path, { phone, agreed: 'yes', ticket });
    assert.deepEqual([reply.status, (await app.open(link.path)).status], [404, 404]);
    assert.match(reply.text, /This form is not available/);
    assert.equal((await app.consents(phone)).contact, null);
  });
});

suite('a posted form', () => {
  test('is recorded in the words and the language it was shown in', async () => {
    const link = await app.link();
    const ticket = ticketIn(app, await app.open(link.path, { 'accept-language': 'fr' }));
    const phone = newPhone();
    const reply = await app.postForm(link.path, {
      phone,
      name: '<i>Ada</i>',
      agreed: 'yes',
      ticket,
      website: '',
    });
    assert.match(reply.text, /<html lang="fr">[\s\S]*<h1>Merci<\/h1>/);
    const { contact, consents } = await app.consents(phone);
    assert.equal(contact.displayName, '<i>Ada</i>');
    assert.deepEqual(
      [consents[0].evidence.wording, consents[0].evidence.wordingVersion],
      [consentText, `${link.wordingVersion}:fr`],
    );
  });

  test('with something wrong is shown again, filled, with a summary that leads to each field', async () => {
    const { path } = await app.link();
    const ticket = ticketIn(app, await app.open(path));
    const reply = await app.postForm(path, { phone: '"><script>', name: 'Ada & Bo', ticket });
    assert.equal(reply.status, 400);
    assert.match(noticeIn(reply), /tabindex="-1" autofocus>[\s\S]*href="#phone"[\s\S]*href="#agreed"/);
    assert.ok(
      reply.text.includes('value="&quot;&gt;&lt;script&gt;"') && reply.text.includes('value="Ada &amp; Bo"'),
    );
    assert.match(reply.text, /id="phone"[^>]* aria-describedby="phone-hint phone-error" aria-invalid="true"/);
    // Its ticket is as good as before.
    const phone = newPhone();
    const again = /name="ticket" value="([^"]+)"/.exec(reply.text)![1]!;
    assert.ok(isThanks(await app.postForm(path, { phone, agreed: 'yes', ticket: again })));
    const bad: Record<string, string>[] = [
      { phone: '1'.repeat(33) },
      { name: 'x'.repeat(201) },
      { name: 'a\u0007' },
    ];
    for (const fields of bad) {
      const wrong = await app.postForm(path, { phone: newPhone(), agreed: 'yes', ticket, ...fields });
      assert.ok(noticeIn(wrong).includes(`href="#${Object.keys(fields)[0]}"`), wrong.text);
    }
  });

  test('whose ticket was used gives the same page again, whatever it says now, and no second record', async () => {
    const { path } = await app.link();
    const ticket = ticketIn(app, await app.open(path));
    const [phone, other] = [newPhone(), newPhone()];
    const fields = { phone, agreed: 'yes', ticket };
    const [first, second] = await Promise.all([app.postForm(path, fields), app.postForm(path, fields)]);
    app.clock.advance(60_000);
    const third = await app.postForm(path, { ...fields, phone: other });
    assert.ok(isThanks(first));
    assert.deepEqual([second.text, third.text], [first.text, first.text]);
    assert.deepEqual([await records(phone), await records(other)], [1, 0]);
    const [{ submissions }] = (await app.get(`${app.at}/opt-in-links`)).body.data;
    assert.equal(submissions, 1);
  });

  test('whose ticket is too young, too old, forged or of another form is shown again, filled, with a notice', async () => {
    const [{ path }, elsewhere] = [await app.link(), await app.link()];
    const phone = newPhone();
    const post = (ticket: string) => app.postForm(path, { phone, name: 'Ada', agreed: 'yes', ticket });
    const young = /name="ticket" value="([^"]+)"/.exec((await app.open(path)).text)![1]!;
    app.clock.advance(1_999);
    const early = await post(young);
    assert.match(noticeIn(early), /faster than people/);
    const foreign = ticketIn(app, await app.open(elsewhere.path));
    const forged = `${young.slice(0, 3)}${young[3] === 'A' ? 'B' : 'A'}${young.slice(4)}`;
    const ticket = ticketIn(app, await app.open(path));
    app.clock.advance(24 * 3_600_000);
    for (const bad of [ticket, foreign, forged, '', 'x'.repeat(1_000), '💥']) {
      const reply = await post(bad);
      assert.equal(reply.status, 400);
      assert.match(noticeIn(reply), /open for too long/);
      assert.ok(reply.text.includes(`value="${phone}"`) && reply.text.includes('value="Ada"'));
      assert.match(reply.text, /name="agreed"[^>]* checked/);
    }
    assert.equal((await app.consents(phone)).contact, null);
    const renewed = ticketIn(app, await post(ticket));
    assert.ok(isThanks(await post(renewed)));
  });

  test('in which a hidden field is filled gets its thanks, and nothing is recorded', async () => {
    const { path } = await app.link();
    const ticket = ticketIn(app, await app.open(path));
    const phone = newPhone();
    assert.ok(
      isThanks(await app.postForm(path, { phone, agreed: 'yes', ticket, website: 'https://spam.example' })),
    );
    assert.equal((await app.consents(phone)).contact, null);
    assert.ok(isThanks(await app.postForm(path, { phone, agreed: 'yes', ticket, website: '' })));
    assert.equal(await records(phone), 1);
  });

  test('that is too large, or says a field twice, is a 400 with a page', async () => {
    const { path } = await app.link();
    const large = await app.postForm(path, { phone: newPhone(), name: 'x'.repeat(16 * 1024) });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: undefined };
    const twice = await app.send('POST', path, { body: 'phone=1&phone=2', headers });
    for (const reply of [large, twice]) {
      assert.equal(reply.status, 400);
      assert.match(reply.text, /^<!doctype html>/);
    }
  });

  test('beyond the limits is shown again with what to do: a challenge, or to come back later', async () => {
    const { path } = await app.link();
    const from = { 'x-forwarded-for': newAddress() };
    const post = async () => {
      const ticket = ticketIn(app, await app.open(path, from));
      return app.postForm(path, { phone: newPhone(), agreed: 'yes', ticket }, from);
    };
    for (let i = 0; i < 5; i += 1) assert.ok(isThanks(await post()));
    const challenged = await post();
    assert.equal(challenged.status, 401);
    assert.match(
      challenged.text,
      /<p id="solving" role="status">That needs JavaScript[\s\S]*data-challenge="\{&quot;object/,
    );
    assert.match(challenged.headers.get('content-security-policy')!, /script-src 'self'/);
    await app.sql('update opt_in_counters set submissions = 60');
    const limited = await post();
    assert.deepEqual([limited.status, Number(limited.headers.get('retry-after')) > 0], [429, true]);
    assert.match(noticeIn(limited), /try again later/);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, startTestApp } from '../../../test/harness/app.ts';
import { peopleOf } from '../../../test/harness/contacts.ts';

test('coverage counts every live contact once per purpose, and the suppressed', async (context) => {
  const app = await startTestApp(context);
  const people = peopleOf(app);
  const contacts = [];
  for (let i = 0; i < 6; i += 1) contacts.push(await people.contact());
  const [a, b, c, d, e] = contacts.map(({ sid }) => sid) as [string, string, string, string, string];
  await people.consent(a);
  await people.consent(b, { status: 'OPTED_OUT' });
  await people.consent(b, { expiresAt: '2026-08-22T00:00:00Z' });
  await people.consent(c, { status: 'REVOKED' });
  await people.consent(d, { status: 'UNKNOWN' });
  await people.consent(e, { purpose: 'SUPPORT' });
  await people.suppress(a);
  await people.suppress(a, { scope: 'ALL' });
  await people.suppress(b, { expiresAt: '2026-08-22T00:00:00Z' });
  const lifted = await people.suppress(c);
  await app.delete(`${app.at}/contacts/${c}/suppressions/${lifted.sid}`);
  await people.merge(a, e);

  const coverage = async (key = app.sandboxKey) =>
    (await app.get(`${app.at}/consent-coverage`, bearer(key))).body;
  const now = await coverage();
  assert.equal(now.contacts, 5);
  assert.deepEqual(now.purposes.MARKETING, { OPTED_IN: 2, OPTED_OUT: 0, UNKNOWN: 2, REVOKED: 1, EXPIRED: 0 });
  assert.deepEqual(now.purposes.SUPPORT, { OPTED_IN: 1, OPTED_OUT: 0, UNKNOWN: 4, REVOKED: 0, EXPIRED: 0 });
  assert.deepEqual(now.suppressed, { contacts: 2, ALL: 1, MARKETING: 2 });
  app.clock.set('2026-08-22T00:00:00Z');
  const later = await coverage();
  assert.deepEqual(later.purposes.MARKETING, {
    OPTED_IN: 1,
    OPTED_OUT: 0,
    UNKNOWN: 2,
    REVOKED: 1,
    EXPIRED: 1,
  });
  assert.deepEqual(later.suppressed, { contacts: 1, ALL: 1, MARKETING: 1 });
  assert.equal((await coverage(app.liveKey)).contacts, 0);
});

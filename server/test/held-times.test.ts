// A legal hold on a time keeps whatever of a person came to be in it.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { modules } from '../src/main/modules.ts';
import type { Person, Store } from '../src/platform/belongings.ts';
import { startTestApp, type TestApp } from './harness/app.ts';
import { write } from './harness/jobs.ts';
import { sharedLifetime } from './harness/lifetime.ts';
import { plantPerson } from './harness/planting.ts';

const stores = modules.flatMap(({ belongings }) => belongings ?? []);

/** Erased, and not asked for times. */
const elsewhere: Record<string, string> = {
  composer_claims: 'who answers now: moments',
  service_windows: 'follow from messages',
  consent_states: 'follow from consents',
  segment_members: 'follow from contacts',
  segment_versions: 'of the business; a value is taken out of them',
  sender_pool_contacts: 'follow from messages',
  marketing_caps: 'follow from messages',
  message_states: 'of messages',
  message_attempts: 'of messages',
  provider_messages: 'of messages',
  workflow_steps: 'of runs',
  workflow_mail: 'of runs',
  workflow_tests: 'played and not done',
  contact_files: 'of many people, gone after days anyway',
  contact_import_media: 'of many people; a hold on their time keeps their bytes by itself',
  operations: 'gone after 30 days anyway; what was done stands in the stores',
  operation_children: 'gone after 30 days anyway; what was done stands in the stores',
  events: 'copies on their way',
  webhook_attempts: 'copies on their way',
  provider_callbacks: 'copies on their way',
  audit_entries: 'the chain is kept; what was done stands in the stores',
  privacy_requests: 'that they were made is kept',
  privacy_copies: 'copies of the stores',
};

const lifetime = sharedLifetime();
let app: TestApp;
let person: Person;
before(async () => {
  app = await startTestApp(lifetime, { wrongBooks: true });
  ({ person } = await plantPerson(app, 'zqmarkzq', '106540352242922', 1));
  const [accountSid, contactSid] = [`'${app.accountSid}'`, `'${person.contactSid}'`];
  const now = `'${app.clock.now().toISOString()}'`;
  await app.sql(`
    begin;
    set local session_replication_role = replica;
    insert into conversations (account_sid, livemode, sid, sender_sid, contact_sid, status, created_at, updated_at)
    values (${accountSid}, false, 'CO', 'WA', ${contactSid}, 'closed', ${now}, ${now});
    insert into opt_in_submissions (account_sid, livemode, id, link_sid, contact_sid, code_hash, wording_version, created_at)
    values (${accountSid}, false, gen_random_uuid(), 'OL', ${contactSid}, '', '1', ${now});
    commit`);
});

const asks = (store: Store): store is Store & Required<Pick<Store, 'within'>> => store.within !== undefined;

suite('a time that is held', () => {
  test('is asked for in every store that loses something of a person, or it is said why not', () => {
    const losing = stores.filter(({ erase, forget }) => erase ?? forget);
    const unasked = losing.filter((store) => !asks(store)).map(({ name }) => name);
    assert.deepEqual(unasked.toSorted(), Object.keys(elsewhere).toSorted());
  });

  for (const { name, within } of stores.filter(asks))
    test(`covers what came to be in it of ${name}, and neither before nor after`, async () => {
      const at = app.clock.now().getTime();
      const isIn = (fromMs: number, toMs: number, whose = person) =>
        write({ app }, (t) => within(t, whose, { from: new Date(at + fromMs), to: new Date(at + toMs) }));
      assert.deepEqual(
        [await isIn(0, 60_000), await isIn(-60_000, 0), await isIn(60_000, 120_000)],
        [true, false, false],
      );
      const other = { contactSid: 'CT0', family: ['CT0'], identifiers: [] };
      assert.equal(await isIn(0, 60_000, other), false);
    });
});

// Files under legal holds: gone for everybody, and in the store until the last hold is released.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { peopleOf } from '../../../test/harness/contacts.ts';
import { runCron, write } from '../../../test/harness/jobs.ts';
import { sharedLifetime } from '../../../test/harness/lifetime.ts';
import { waitersAre } from '../../../test/harness/locks.ts';
import { type MediaApp, startMediaApp } from '../../../test/harness/media.ts';
import { type Person, person } from '../../../test/harness/people.ts';
import { until } from '../../../test/harness/until.ts';
import { crons } from '../../main/modules.ts';
import { sql } from '../../platform/db/query.ts';
import { newSid } from '../../platform/ids.ts';
import { joinConversations } from '../conversations/index.ts';
import { removing } from '../legal-holds/index.ts';
import { expireMedia, sweepMediaFiles } from './crons.ts';
import * as make from './examine/files.test-data.ts';
import { noteMediaUses } from './uses.ts';

const lifetime = sharedLifetime();
let app: MediaApp;
let owner: Person;
before(async () => {
  app = await startMediaApp(lifetime);
  owner = await person(app);
});

let made = 0;
/** A file like no other, that can be sent. */
async function file(): Promise<string> {
  made += 1;
  return (await app.take(await make.png(10 + made, 10))).sid;
}

const contact = async () => (await peopleOf(app).contact()).sid as string;

async function carried(
  mediaSid: string,
  contactSid: string,
  given: { senderSid?: string; campaignSid?: string } = {},
) {
  const { senderSid = await peopleOf(app).sender(), campaignSid = null } = given;
  const messageSid = newSid('SM', app.clock.now());
  await write({ app }, (t) =>
    noteMediaUses(t, [{ mediaSid, messageSid, contactSid, senderSid, campaignSid }]),
  );
  return senderSid;
}

async function hold(scope: object): Promise<string> {
  const reply = await app.post(`${app.at}/legal-holds`, { caseRef: 'Case 1', scope });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}

async function release(id: string): Promise<void> {
  const { headers } = await owner.signInAgain();
  const stepUpToken = await owner.stepUp('LEGAL_HOLD_RELEASE', headers);
  const reply = await app.post(`${app.at}/legal-holds/${id}/release`, { caseRef: 'x', stepUpToken }, headers);
  assert.equal(reply.status, 200, reply.text);
}

const remove = async (sid: string) => assert.equal((await app.delete(`${app.at}/media/${sid}`)).status, 204);
const gone = async (sid: string) => {
  assert.equal((await app.get(`${app.at}/media/${sid}`)).status, 404);
  assert.equal((await app.get(`${app.at}/media/${sid}/content`)).status, 404);
};

/** Whether its bytes are in the store, once everything that is nobody's has been swept. */
async function isStored(sha256: string): Promise<boolean> {
  app.clock.advance(2 * 60 * 60_000);
  await sweepMediaFiles.run(app.jobContext);
  return (await app.stored()).some((path) => path.includes(sha256));
}

const hashOf = async (sid: string): Promise<string> => {
  const [row] = await app.sql<{ sha256: string }>('select sha256 from media where sid = $1', [sid]);
  return row!.sha256;
};

/** The job that a release left has run. */
const letGo = (sid: string) =>
  until(`${sid} is let go`, async () => {
    const rows = await app.sql('select from media where sid = $1 and file_id is null', [sid]);
    return rows.length === 1;
  });

const day = 24 * 60 * 60_000;

suite('a file that is deleted is gone for everybody, and its bytes stay until the release of a hold', () => {
  const scopes: Record<string, (mediaSid: string) => Promise<object>> = {
    'on the account': async () => ({ type: 'ACCOUNT' }),
    'on a contact it was sent to': async (sid) => {
      const contactSid = await contact();
      await carried(sid, contactSid);
      return { type: 'CONTACT', contactSid };
    },
    'on a conversation it was sent in': async (sid) => {
      const contactSid = await contact();
      const senderSid = await carried(sid, contactSid);
      const heard = {
        sid: newSid('SM', app.clock.now()),
        senderSid,
        contactSid,
        written: true,
        occurredAt: app.clock.now(),
      };
      const places = await write({ app }, (t) => joinConversations(t, [heard]));
      return { type: 'CONVERSATION', conversationSid: places.get(heard.sid) };
    },
    'on a time in which it came': async () => ({
      type: 'DATE_RANGE',
      from: app.clock.now().toISOString(),
      to: new Date(app.clock.now().getTime() + 1).toISOString(),
    }),
  };
  for (const [which, scopeOf] of Object.entries(scopes)) {
    test(which, async () => {
      const sid = await file();
      const sha256 = await hashOf(sid);
      const id = await hold(await scopeOf(sid));
      await remove(sid);
      await gone(sid);
      assert.equal(await isStored(sha256), true);
      await gone(sid);
      await release(id);
      await letGo(sid);
      assert.equal(await isStored(sha256), false);
    });
  }
});

test('a file that expires under a hold is told as expired, and its bytes stay until the release', async () => {
  const sid = await file();
  const sha256 = await hashOf(sid);
  const contactSid = await contact();
  await carried(sid, contactSid);
  const id = await hold({ type: 'CONTACT', contactSid });
  const heardBefore = await app.count(`events where type = 'media.expired' and resource_sid = '${sid}'`);
  app.clock.advance(31 * day);
  await runCron(app, expireMedia);
  assert.equal((await app.get(`${app.at}/media/${sid}`)).body.status, 'EXPIRED');
  assert.equal((await app.get(`${app.at}/media/${sid}/content`)).status, 404);
  const heard = await app.count(`events where type = 'media.expired' and resource_sid = '${sid}'`);
  assert.equal(heard - heardBefore, 1);
  assert.equal(await isStored(sha256), true);
  await release(id);
  await letGo(sid);
  assert.equal(await isStored(sha256), false);
});

test('of two holds each keeps it alone, and what no hold reaches goes as ever', async () => {
  const [sid, free] = [await file(), await file()];
  const hashes = [await hashOf(sid), await hashOf(free)];
  const contactSid = await contact();
  await carried(sid, contactSid);
  await carried(free, await contact());
  const holds = [await hold({ type: 'CONTACT', contactSid }), await hold({ type: 'CONTACT', contactSid })];
  await remove(sid);
  await remove(free);
  assert.deepEqual([await isStored(hashes[0]!), await isStored(hashes[1]!)], [true, false]);
  await release(holds[0]!);
  await until('the job has run', async () => {
    const jobs = await app.sql("select from graphile_worker.jobs where task_identifier = 'media.let-go'");
    return jobs.length === 0;
  });
  assert.equal(await isStored(hashes[0]!), true);
  await release(holds[1]!);
  await letGo(sid);
  assert.equal(await isStored(hashes[0]!), false);
});

suite('a hold on a contact', () => {
  test('reaches whoever is merged with them, before or after, and lets go of nobody when the merge is taken back', async () => {
    const [earlier, later, held] = [await contact(), await contact(), await contact()];
    const files = [];
    for (const contactSid of [earlier, later, held]) {
      const sid = await file();
      await carried(sid, contactSid);
      files.push(sid);
    }
    const people = peopleOf(app);
    const first = await people.merge(held, earlier);
    // Named by the SID of the one that is not there any more.
    const id = await hold({ type: 'CONTACT', contactSid: earlier });
    const second = await people.merge(later, held);
    assert.equal((await people.revert(second.id)).status, 200);
    assert.equal((await people.revert(first.id)).status, 200);
    for (const sid of files) await remove(sid);
    for (const sid of files) assert.equal(await isStored(await hashOf(sid)), true);
    await release(id);
    for (const sid of files) await letGo(sid);
  });
});

test('while somebody removes, placing a hold waits; once it has answered, whoever removes sees it', async () => {
  const sid = await file();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const removal = write({ app }, async (t) => {
    await removing(t);
    begun.resolve();
    await end.promise;
    await t.run(sql`select 1`);
  });
  await begun.promise;
  const placing = hold({ type: 'ACCOUNT' });
  await waitersAre(app, 1);
  assert.equal(await app.count('legal_holds where released_at is null'), 0);
  end.resolve();
  await removal;
  const id = await placing;
  await remove(sid);
  assert.equal(await isStored(await hashOf(sid)), true);
  await release(id);
});

test('a hold of the platform keeps files while it waits, and no longer once nobody agreed', async () => {
  const sid = await file();
  const sha256 = await hashOf(sid);
  const staff = await person(app, { roles: ['PLATFORM_COMPLIANCE'] });
  const asked = { caseRef: 'Secret', customerVisible: false, scope: { type: 'ACCOUNT' } };
  assert.equal((await app.post(`${app.at}/legal-holds`, asked, staff.headers)).status, 403);
  await remove(sid);
  assert.equal(await isStored(sha256), true);
  app.clock.advance(8 * day);
  await runCron(app, crons.find(({ name }) => name === 'approvals.expire')!);
  await letGo(sid);
  assert.equal(await isStored(sha256), false);
});

// The pages that are no walk through one feature: their examples run too.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import { pasteTwice, withoutTools } from '../harness/guide.ts';
import { sharedLifetime } from '../harness/lifetime.ts';
import { type MediaApp, startMediaApp } from '../harness/media.ts';

const lifetime = sharedLifetime();
const masterKey = generateMasterKey();
let app: MediaApp;
let sender: { sid: string; phoneNumber: string };
before(async () => {
  const env = { MASTER_KEY: masterKey };
  app = await startMediaApp(lifetime, { simulator: true, env });
  [sender] = (await app.get(`${app.at}/senders?limit=1`)).body.data;
});

const paste = (
  page: string,
  more: { fillIn?: Record<string, string>; leaveOut?: string[]; setUp?: string },
) =>
  pasteTwice(page, {
    env: {
      URL: app.url,
      KEY: app.sandboxKey,
      AC: app.accountSid,
      WA: sender.sid,
      DATABASE_URL: app.databaseUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: app.dataDir,
      SIMULATOR_URL: app.simulator.url,
    },
    cwd: app.dataDir,
    ...more,
  });
/** The page refers to the one that explains it. */
const shortWay = readFile(new URL('../../../docs/contacts.md', import.meta.url), 'utf8').then(
  (page) => /^api\(\) [\s\S]*?; }$/m.exec(page)![0],
);
const options = { skip: withoutTools };

test('the examples of README.md run as they stand, and twice', options, async () => {
  const fillIn = { '+1555…': sender.phoneNumber };
  const { code, out, errors } = await paste('README.md', { fillIn, leaveOut: ['npm ci'] });
  assert.equal(code, 0, `${out}\n${errors}`);
  assert.doesNotMatch(out, /"error":\{"code":"(?!SERVICE_WINDOW_CLOSED)/);
  assert.match(out, /"accepted":false,"checks"/);
});

test('the example of docs/messaging.md runs as it stands, and twice', options, async () => {
  const { code, out } = await paste('docs/messaging.md', {});
  assert.equal(code, 0, out);
  assert.doesNotMatch(out, /\{"error":\{/);
  const sids = out.match(/^\{"object":"message","sid":"\w+"/g) ?? out.match(/"sid":"SM\w+"/g);
  assert.ok(sids && new Set(sids).size === 1, out);
});

test('the examples of docs/media.md run as they stand, in order and twice', options, async () => {
  // The one that is fetched stands outside.
  const { code, out, errors } = await paste('docs/media.md', { leaveOut: ['w3.org'] });
  assert.deepEqual([code, errors], [0, ''], out);
  assert.doesNotMatch(out, /\{"error":\{/);
  assert.match(out, /"status":"READY"/);
});

test('the examples of docs/billing.md run as they stand, in order and twice', options, async () => {
  const fillIn = { 'WA…': sender.sid, 'AC…': app.accountSid };
  const { code, out, errors } = await paste('docs/billing.md', { setUp: await shortWay, fillIn });
  assert.equal(code, 0, `${out}\n${errors}`);
  assert.doesNotMatch(out, /\{"error":\{/);
});

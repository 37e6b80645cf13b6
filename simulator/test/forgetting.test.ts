import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  businessNumber,
  customer,
  hello,
  type Kit,
  type Lifetime,
  numberId,
  startKit,
  wabaId,
} from './harness.ts';

const other = '33612003499';
const refOf = (from: string) => (from === customer ? 'first' : 'second');
const changedId = 'FR.77665544332211';

/** A person has written, been written to, been blocked and changed their id; so has somebody else, but for the id. */
async function livedIn(context: Lifetime, stateFile: string | undefined): Promise<Kit> {
  const kit = await startKit(context, { stateFile });
  await kit.known();
  for (const from of [customer, other]) {
    await kit.control.inbound({ from, to: businessNumber, type: 'image', name: `Name of ${from}` });
    kit.control.marketingPreference({ from, to: businessNumber, value: 'stop' });
    const text = { type: 'text', text: { body: `For ${from}` }, biz_opaque_callback_data: refOf(from) };
    assert.equal((await kit.send(text, from)).status, 200);
    const users = { messaging_product: 'whatsapp', block_users: [{ user: `+${from}` }] };
    assert.equal((await kit.call('POST', `/v25.0/${numberId}/block_users`, users)).status, 200);
  }
  kit.control.userIdUpdate({ from: customer, to: businessNumber, userId: changedId });
  await kit.control.settle();
  return kit;
}

async function onDisk(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((file) => file.isFile() && !file.name.endsWith('.new'));
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

async function inMemory({ control, call }: Kit): Promise<string> {
  const recorded = [control.messages(0, 1_000), control.callbacks(0, 1_000), control.commands(0, 1_000)];
  const { body: blocked } = await call('GET', `/v25.0/${numberId}/block_users`);
  const text = JSON.stringify([...recorded, control.phoneNumbers(), blocked]);
  return text.replace(
    /wamid\.([\w+/=]+)/g,
    (id, base64) => id + Buffer.from(base64, 'base64').toString('latin1'),
  );
}

test('a person who is forgotten is found nowhere any more, and nobody else is missing', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const kit = await livedIn(context, join(folder, 'state.json'));
  const { control, call } = kit;
  const [before, total] = [await inMemory(kit), control.messages().total];
  for (const trace of [customer, changedId, other]) assert.ok(before.includes(trace), trace);
  const files = (await readdir(join(folder, 'state.json.media'))).length;

  const { status, body } = await call('POST', '/_control/people/forget', { from: `+${customer}` });
  assert.equal(status, 200);
  assert.deepEqual([body.messages, body.media, body.callbacks > 0], [1, 1, true]);
  const after = (await inMemory(kit)) + (await onDisk(folder));
  for (const trace of [customer, changedId]) assert.ok(!after.includes(trace), trace);
  assert.ok(after.includes(`For ${other}`) && after.includes(`Name of ${other}`));
  assert.equal((await readdir(join(folder, 'state.json.media'))).length, files - 1);
  assert.equal(control.messages().total, total);
  assert.equal(
    control.messagesWithOpaque(refOf(customer)).length,
    1,
    'it is still known that it was sent once',
  );
  assert.deepEqual((await call('POST', '/_control/people/forget', { from: customer })).body.messages, 0);
});

test('accounts that are named forget a person by themselves, and others know them as before', async (context) => {
  const kit = await livedIn(context, undefined);
  const { call } = kit;
  const before = await inMemory(kit);
  const stranger = await call('POST', '/_control/people/forget', { from: customer, wabaIds: ['109'] });
  assert.deepEqual(stranger.body, { messages: 0, callbacks: 0, media: 0 });
  assert.equal(await inMemory(kit), before);
  await kit.control.inbound({ from: customer, to: businessNumber, text: 'Still open' });
  assert.equal((await kit.send({ type: 'text', text: { body: 'x' } }, customer)).status, 200);
  // Known by the id that they have at the provider as well as by number.
  const { body } = await call('POST', '/_control/people/forget', { from: changedId, wabaIds: [wabaId] });
  assert.deepEqual([body.messages, body.media], [2, 1]);
  const after = await inMemory(kit);
  for (const trace of [customer, changedId]) assert.ok(!after.includes(trace), trace);
  assert.ok(after.includes(`For ${other}`));
});

test('a number is forgotten as the provider writes it', async (context) => {
  const kit = await startKit(context);
  await kit.known();
  assert.equal((await kit.send(hello, '5547912345678')).status, 200);
  const { body } = await kit.call('POST', '/_control/people/forget', { from: '+5547912345678' });
  assert.equal(body.messages, 1);
});

test('somebody to forget is named by a whole number or an id, and accounts by their ids', async (context) => {
  const { call } = await startKit(context);
  for (const from of [undefined, null, '', '33', 'everybody', ['33612003400'], '+33 6 12', 'FR.', 'FR.abc'])
    assert.equal((await call('POST', '/_control/people/forget', { from })).status, 400, String(from));
  for (const wabaIds of ['1', {}, [1], [''], [null], 7])
    assert.equal(
      (await call('POST', '/_control/people/forget', { from: customer, wabaIds })).status,
      400,
      JSON.stringify(wabaIds),
    );
});

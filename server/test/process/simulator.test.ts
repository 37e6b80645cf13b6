import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { generateMasterKey } from '../../src/platform/sealing.ts';
import type { Lifetime } from '../harness/lifetime.ts';
import { checkout, dataFolder, godwit, startGodwit } from './godwit.ts';

const page = await readFile(join(checkout, 'docs', 'simulator.md'), 'utf8');

async function startAlone(lifetime: Lifetime) {
  const env = { MASTER_KEY: generateMasterKey(), DATA_DIR: await dataFolder(lifetime), LOG_LEVEL: 'silent' };
  const started = await startGodwit(lifetime, env, { args: ['start', '--role', 'simulator'] });
  const url = /Simulator +(http\S+)/.exec(started.text())![1]!;
  return { started, url, env: { ...env, SIMULATOR_URL: url } };
}

suite('the simulator', () => {
  test('runs alone without a database, and every command of its page that is for it runs as printed', async (context) => {
    const { started, url, env } = await startAlone(context);
    // Alone it has no API of ours above it; the page's examples of that are pasted elsewhere, in front of a whole service.
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map((match) => match[1]!)
      .filter((block) => !block.includes('/v1/accounts/'));
    // People paste a line twice.
    const script = `set -e\n${blocks.flatMap((block) => [block, block]).join('\n')}`.replaceAll(
      'http://127.0.0.1:8081',
      url,
    );
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    assert.ok(!stdout.includes('"error"'), stdout);
    assert.match(stdout, /"messages":\[\{"id":"wamid\./);
    assert.match(stdout, /"count":1[\s\S]*"count":2/);

    const to = ['--from', '+33612003400', '--to', '+33180001000'];
    const inbound = await godwit(['simulate', 'inbound', ...to, '--type', 'image', '--text', 'Broken'], env);
    assert.match(inbound.stdout, /^33612003400 wrote to 33180001000: image /);
    const preference = await godwit(['simulate', 'preference', 'stop', ...to], env);
    assert.match(preference.stdout, /no more marketing messages/);
    const status = await godwit(['simulate', 'status'], env);
    assert.match(status.stdout, /Accepted +2 .*\n[\s\S]*\+33180001000 {2}106000300040005 {2}CONNECTED/);
    assert.match(
      (await godwit(['simulate', 'messages', '--opaque', 'first'], env)).stdout,
      /^33612003400 +template/,
    );
    const settings = async (...change: string[]) =>
      (await godwit(['simulate', 'settings', ...change], env)).stdout;
    assert.match(await settings('loseCallbacks=0.5', 'pairLimit=false'), /^loseCallbacks +0\.5$/m);
    assert.match(await settings(), /^loseCallbacks +0\.5\n[\s\S]*^pairLimit +false$/m);

    const shown = (await godwit(['simulate', 'secret'], env)).stdout;
    const { appId, appSecret, verifyToken } = JSON.parse(
      (await godwit(['simulate', 'secret', '--json'], env)).stdout,
    );
    for (const value of [appId, appSecret, verifyToken]) assert.ok(shown.includes(value), shown);
    // The simulator gives the app its token for the secret that the command shows.
    const query = new URLSearchParams({ client_id: appId, client_secret: appSecret });
    const token = await fetch(`${url}/oauth/access_token?grant_type=client_credentials&${query}`);
    assert.equal(token.status, 200);
    assert.equal((await started.stop()).code, 0);
  });

  test('is asked in vain with words that help', async (context) => {
    const { env } = await startAlone(context);
    const refused = async (args: string[], words: RegExp, more: Record<string, string> = {}) => {
      const { code, stderr } = await godwit(['simulate', ...args], { ...env, ...more });
      assert.deepEqual([code, stderr.trim().split('\n').length], [2, 1], stderr);
      assert.match(stderr, words);
    };
    await refused(['settings', 'loseCallbacks'], /must be a name and a value/);
    await refused(['settings', 'loseCallbacks=2'], /"loseCallbacks" must be a number from 0 to 1/);
    await refused(['secret'], /There is no master key in .* yet\. Start the service first/, {
      MASTER_KEY: '',
    });
    const from = ['inbound', '--from', '+33612003400'];
    await refused([...from, '--to', '+33180001000'], /No phone number "33180001000" is known/);
    await refused(from, /required option '--to <number>'/);
    await refused(['inbound', '--from', 'x', '--to', '1'], /must be a phone number/);
    await refused(['preference', 'maybe'], /stop or resume/);
    await refused([...from, '--to', '+33180001000', '--content', '{'], /must be a JSON object/);
    await refused(['status'], /No simulator answers at http:\/\/127\.0\.0\.1:9\./, {
      SIMULATOR_URL: 'http://127.0.0.1:9',
    });
  });
});

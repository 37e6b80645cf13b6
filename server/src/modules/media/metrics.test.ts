import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMediaApp } from '../../../test/harness/media.ts';
import { until } from '../../../test/harness/until.ts';
import { sweepMediaFiles } from './crons.ts';
import * as make from './examine/files.test-data.ts';
import { ScannerUnavailable } from './ports.ts';

/** What `/metrics` tells of media now: values by name and label. */
async function told(app: { url: string }): Promise<Record<string, number>> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('godwit_media_'));
  return Object.fromEntries(
    lines.map((line) => {
      const [name, value] = line.split(' ') as [string, string];
      return [name.replace('godwit_media_', ''), Number(value)];
    }),
  );
}

/** What has grown, by how much. */
const growth = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, value]) => [name, value - (before[name] ?? 0)] as const)
      .filter(([, value]) => value !== 0),
  );

test('operators see what files were found to be, what is stored, fetched and removed', async (context) => {
  const app = await startMediaApp(context);
  const picture = await make.jpeg();
  const before = await told(app);
  const { sid } = (await app.upload(picture, { mime: 'image/jpeg' })).body;
  await app.settled(sid);
  const again = (await app.upload(picture, { mime: 'image/jpeg' })).body.sid;
  await app.settled(again);
  const broken = (await app.upload(Buffer.from('<html></html>'), { mime: 'text/html' })).body;
  await app.settled(broken.sid);
  const content = `${app.at}/media/${sid}/content`;
  const { headers } = await app.get(content);
  await app.get(content, { range: 'bytes=0-4' });
  await app.get(content, { range: 'bytes=999999999-' });
  await app.get(content, { 'if-none-match': headers.get('etag') });
  const grown = growth(before, await told(app));
  assert.deepEqual(grown, {
    'scans_total{outcome="ready"}': 2,
    'scans_total{outcome="refused"}': 1,
    stored_bytes_total: picture.length + 13,
    'downloads_total{answer="whole"}': 1,
    'downloads_total{answer="part"}': 1,
    'downloads_total{answer="unsatisfiable"}': 1,
    'downloads_total{answer="unchanged"}': 1,
  });
  app.clock.advance(3 * 3_600_000);
  await sweepMediaFiles.run(app.jobContext);
  const removed = (await told(app)).removed_bytes_total! - (before.removed_bytes_total ?? 0);
  assert.equal(removed, 13, 'of what was refused nothing is left');
});

test('operators see a scanner that is gone by what waits for it, and for how long', async (context) => {
  const scanner = {
    name: 'gone',
    check: async () => {},
    scan: async () => {
      throw new ScannerUnavailable('gone');
    },
  };
  const app = await startMediaApp(context, { ports: { mediaScanner: scanner } });
  const tries = async () => (await told(app))['scans_total{outcome="scanner_unavailable"}'] ?? 0;
  const before = await tries();
  assert.deepEqual(
    [(await told(app)).oldest_unscanned_seconds, (await told(app))['unscanned{status="SCANNING"}']],
    [0, 0],
  );
  await app.upload(await make.jpeg(), { mime: 'image/jpeg' });
  await until('the scanner was asked', async () => (await tries()) > before);
  app.clock.advance(90_000);
  const now = await told(app);
  assert.deepEqual(
    [now.oldest_unscanned_seconds, now['unscanned{status="SCANNING"}'], now['unscanned{status="PENDING"}']],
    [90, 1, 0],
  );
});

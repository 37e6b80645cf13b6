import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { readZip } from './read-zip.test-data.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';

const at = new Date('2026-03-04T05:06:08Z');

async function* pieces(...texts: (string | Buffer)[]) {
  for (const text of texts) yield Buffer.from(text as string);
}

async function* each(...entries: ZipEntry[]) {
  yield* entries;
}

const text = (name: string, ...parts: string[]): ZipEntry => ({
  name,
  sizeBytes: parts.join('').length,
  compress: true,
  bytes: pieces(...parts),
});

suite('an archive', () => {
  test('holds every entry as it came, compressed or not, whatever its name', async () => {
    const picture = randomBytes(100_000);
    const archive = await buffer(
      writeZip(
        each(text('empty.json'), text('é/naïve 名.json', 'a'.repeat(70_000), 'b'.repeat(70_000)), {
          name: 'picture.png',
          sizeBytes: picture.length,
          compress: false,
          bytes: pieces(picture),
        }),
        { at },
      ),
    );
    const files = readZip(archive);
    assert.deepEqual(
      files.map(({ name }) => name),
      ['empty.json', 'é/naïve 名.json', 'picture.png'],
    );
    assert.equal(files[0]!.bytes.length, 0);
    assert.equal(files[1]!.bytes.toString(), 'a'.repeat(70_000) + 'b'.repeat(70_000));
    assert.ok(files[2]!.bytes.equals(picture));
    assert.ok(archive.length < 110_000, 'what repeats is compressed');
  });

  test('can end with a list of what it holds', async () => {
    const list = await buffer(
      writeZip(each(text('a', 'one'), text('b', 'two')), {
        at,
        last: (written) => ({ name: 'list.json', text: JSON.stringify(written) }),
      }),
    );
    const sha256 = (of: string) => createHash('sha256').update(of).digest('hex');
    assert.deepEqual(JSON.parse(readZip(list)[2]!.bytes.toString()), [
      { name: 'a', sizeBytes: 3, sha256: sha256('one') },
      { name: 'b', sizeBytes: 3, sha256: sha256('two') },
    ]);
  });

  test('is measured in longer numbers where an entry may be large, or there are many', async () => {
    const large = { ...text('large', 'said to be large'), sizeBytes: 5 * 2 ** 30 };
    const [file] = readZip(await buffer(writeZip(each(large, text('after', 'x')), { at })));
    assert.equal(file!.bytes.toString(), 'said to be large');
    const many = async function* () {
      for (let i = 0; i < 65_536; i += 1)
        yield { name: String(i), sizeBytes: 0, compress: false, bytes: pieces() };
    };
    assert.equal(readZip(await buffer(writeZip(many(), { at }))).length, 65_536);
  });

  for (const compress of [true, false])
    test(`breaks off where an entry cannot be read, ${compress ? 'compressed' : 'stored'}, instead of ending well`, async () => {
      const broken = async function* () {
        yield Buffer.from('half');
        throw new Error('gone');
      };
      const entry = { name: 'a', sizeBytes: 8, compress, bytes: broken() };
      await assert.rejects(buffer(writeZip(each(entry), { at })), /gone/);
    });
});

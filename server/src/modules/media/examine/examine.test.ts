// What a file is said to be, by its content alone.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { type Claims, examine } from './examine.ts';
import * as make from './files.test-data.ts';

let folder: string;
let count = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'godwit-examine-'));
});
after(() => rm(folder, { recursive: true }));

async function find(bytes: Buffer, claims: Partial<Claims> = {}) {
  count += 1;
  const path = join(folder, String(count));
  await writeFile(path, bytes);
  try {
    return await examine(path, { requestedType: 'AUTO', declaredMime: null, filename: null, ...claims });
  } finally {
    await rm(path);
  }
}

const outcome = async (bytes: Buffer, claims?: Partial<Claims>) => {
  const found = await find(bytes, claims);
  return found.ok ? `${found.type} ${found.mimeType}` : found.reasons.map(({ code }) => code).join(' ');
};

const text = (content: string) => Buffer.from(content);
const openXml = 'application/vnd.openxmlformats-officedocument';
const rgb = Buffer.concat([await make.jpeg(), Buffer.alloc(0)]);

const good: Record<string, [Buffer, string]> = {
  'a JPEG': [rgb, 'IMAGE image/jpeg'],
  'a JPEG with another image behind it, as phones write': [
    Buffer.concat([rgb, await make.jpeg(8, 8)]),
    'IMAGE image/jpeg',
  ],
  'a PNG': [await make.png(), 'IMAGE image/png'],
  'a sticker': [await make.sticker(), 'STICKER image/webp'],
  'an MP4 video with sound': [make.mp4(), 'VIDEO video/mp4'],
  'an MP4 video without sound': [make.isoMedia('mp42', make.videoTrack()), 'VIDEO video/mp4'],
  'a 3GP video': [make.isoMedia('3gp4', make.videoTrack(), make.audioTrack()), 'VIDEO video/3gpp'],
  'sound in MP4': [make.isoMedia('M4A ', make.audioTrack()), 'AUDIO audio/mp4'],
  'Opus in Ogg': [make.ogg(), 'AUDIO audio/ogg'],
  AMR: [make.amr(), 'AUDIO audio/amr'],
  AAC: [make.aac(), 'AUDIO audio/aac'],
  MP3: [make.mp3(), 'AUDIO audio/mpeg'],
  'MP3 with tags before and behind': [
    Buffer.concat([make.id3(200), make.mp3(), text('TAG'.padEnd(128, ' '))]),
    'AUDIO audio/mpeg',
  ],
  'a PDF': [make.pdf(), 'DOCUMENT application/pdf'],
  'a Word document': [make.office('docx'), `DOCUMENT ${openXml}.wordprocessingml.document`],
  'an Excel sheet': [make.office('xlsx'), `DOCUMENT ${openXml}.spreadsheetml.sheet`],
  'a PowerPoint presentation': [make.office('pptx'), `DOCUMENT ${openXml}.presentationml.presentation`],
  'an old Word document': [make.compoundFile('Root Entry', 'WordDocument'), 'DOCUMENT application/msword'],
  'an old Excel sheet': [make.compoundFile('Root Entry', 'Workbook'), 'DOCUMENT application/vnd.ms-excel'],
  'an old presentation': [
    make.compoundFile('Root Entry', 'PowerPoint Document'),
    'DOCUMENT application/vnd.ms-powerpoint',
  ],
  'plain text': [text('Bonjour à tous,\r\n\tl’addition : 3 € < 4 €'), 'DOCUMENT text/plain'],
  'text longer than one look': [text('é'.repeat(100_001)), 'DOCUMENT text/plain'],
};

suite('known by its content', () => {
  for (const [name, [bytes, expected]] of Object.entries(good)) {
    test(`${name} is ${expected}`, async () => assert.equal(await outcome(bytes), expected));
  }
});

suite('cut short', () => {
  // Text has no end that could be missing; the last frame of an MP3 often is.
  const told = Object.entries(good).filter(([name]) => !/text|MP3|old /.test(name));
  for (const [name, [bytes]] of told) {
    test(`${name} is refused wherever it ends`, async () => {
      for (const part of [0.31, 0.61, 0.87, 0.97]) {
        const cut = bytes.subarray(0, Math.floor(bytes.length * part));
        const found = await find(cut);
        // A phone's second image may be cut off: the first is whole.
        if (name.includes('another image') && part > 0.5) continue;
        assert.equal(found.ok, false, `${name} at ${part}`);
      }
    });
  }
});

const html = '<html><script>alert(1)</script></html>';
const hidden = make.zip([{ name: 'evil.class' }]);
const withInside = (bytes: Buffer, at: number, inside: string) =>
  Buffer.concat([bytes.subarray(0, at), text(inside), bytes.subarray(at)]);

const bad: Record<string, [Buffer, string, Partial<Claims>?]> = {
  nothing: [Buffer.alloc(0), 'EMPTY'],
  'one zero byte': [Buffer.alloc(1), 'UNSUPPORTED_TYPE'],
  'random bytes': [Buffer.from('8f1e00d3c2aa99', 'hex'), 'UNSUPPORTED_TYPE'],
  'a GIF': [make.gif, 'UNSUPPORTED_TYPE'],
  'a GIF that is also a script': [text('GIF89a/*\x01\x01*/=1;alert(1)'), 'UNSUPPORTED_TYPE'],
  'an SVG with a script': [
    text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'UNSUPPORTED_TYPE',
  ],
  'an SVG behind its prologue': [text('<?xml version="1.0"?>\n<svg/>'), 'UNSUPPORTED_TYPE'],
  'a page': [text(`  \n<!DOCTYPE html>${html}`), 'UNSUPPORTED_TYPE'],
  'text with a script far inside': [text(`${'a'.repeat(70_000)}<SCRIPT src=x>`), 'UNSUPPORTED_TYPE'],
  'text with a script across two looks': [text(`${'a'.repeat(65_533)}<script>`), 'UNSUPPORTED_TYPE'],
  'a shell script': [text('#!/bin/sh\nrm -rf /'), 'UNSUPPORTED_TYPE'],
  'text that is not UTF-8': [Buffer.from('caf\xe9 noir', 'latin1'), 'UNSUPPORTED_TYPE'],
  'a program': [Buffer.concat([text('MZ'), Buffer.alloc(200)]), 'UNSUPPORTED_TYPE'],
  'a HEIC photo': [make.isoMedia('heic', make.videoTrack()), 'UNSUPPORTED_TYPE'],

  'a PDF named as a photo': [make.pdf(), 'EXTENSION_MISMATCH', { filename: 'photo.jpg' }],
  'a photo named as a program': [rgb, 'EXTENSION_MISMATCH', { filename: 'photo.jpg.exe' }],
  'a PNG declared as JPEG': [await make.png(), 'TYPE_MISMATCH', { declaredMime: 'image/jpeg' }],
  'text declared as a page': [text('hello'), 'TYPE_MISMATCH', { declaredMime: 'text/html; charset=utf-8' }],
  'a PDF asked for as an image': [make.pdf(), 'TYPE_MISMATCH', { requestedType: 'IMAGE' }],
  'a WebP asked for as an image': [await make.sticker(), 'TYPE_MISMATCH', { requestedType: 'IMAGE' }],

  'a JPEG with an archive behind it': [Buffer.concat([rgb, hidden]), 'POLYGLOT'],
  'a JPEG with a page behind it': [Buffer.concat([rgb, text(html)]), 'POLYGLOT'],
  'a large JPEG with a page behind it': [Buffer.concat([await make.jpeg(900, 900), text(html)]), 'POLYGLOT'],
  'a JPEG that begins like a page': [
    Buffer.concat([
      rgb.subarray(0, 2),
      Buffer.from([0xff, 0xfe, 0, html.length + 2]),
      text(html),
      rgb.subarray(2),
    ]),
    'POLYGLOT',
  ],
  'a PNG with anything behind it': [Buffer.concat([await make.png(), text('x')]), 'POLYGLOT'],
  'a sticker with an archive behind it': [Buffer.concat([await make.sticker(), hidden]), 'POLYGLOT'],
  'a PDF that is also an archive': [
    Buffer.concat([make.pdf().subarray(0, -6), hidden, text('\nstartxref\n9\n%%EOF\n')]),
    'POLYGLOT',
  ],
  'an archive that is also a PDF': [
    make.zip([
      { name: 'a', body: text('%PDF-1.4 ') },
      { name: '[Content_Types].xml' },
      { name: 'word/document.xml' },
    ]),
    'POLYGLOT',
  ],
  'text that is also a PDF': [text(`hello\n${make.pdf()}`), 'POLYGLOT'],
  'an MP3 with a page behind it': [Buffer.concat([make.mp3(), text(html)]), 'POLYGLOT'],
  'a video with an archive in a box at its end': [
    Buffer.concat([make.mp4(), make.box('free', hidden)]),
    'POLYGLOT',
  ],

  'an image of 50,000 x 50,000 pixels in a kilobyte': [make.hollowPng(50_000, 50_000), 'TOO_MANY_PIXELS'],
  'an image just over the limit': [make.hollowPng(50_000, 1_001), 'TOO_MANY_PIXELS'],
  'an image that says more than it holds': [make.hollowPng(4_000, 4_000), 'CORRUPT'],
  'a JPEG that says 65,500 x 65,500': [
    (() => {
      const bytes = Buffer.from(rgb);
      const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
      bytes.writeUInt16BE(65_500, frame + 5);
      bytes.writeUInt16BE(65_500, frame + 7);
      return bytes;
    })(),
    'TOO_MANY_PIXELS',
  ],
  'a PNG of 16 bits': [make.hollowPng(10, 10, { depth: 16 }), 'UNSUPPORTED_FORM'],
  'a PNG with a palette': [make.hollowPng(10, 10, { colour: 3 }), 'UNSUPPORTED_FORM'],
  'a PNG with a damaged chunk': [withInside(await make.png(), 45, 'zz'), 'CORRUPT'],
  'a sticker of the wrong size': [await make.sticker(400), 'UNSUPPORTED_FORM'],
  'an image over 5 MiB': [Buffer.concat([rgb, Buffer.alloc(5 * 1024 * 1024)]), 'TOO_LARGE'],
  'sound over 16 MiB': [make.mp3(41_000), 'TOO_LARGE'],

  'a video in H.265': [make.isoMedia('isom', make.videoTrack('hvc1')), 'UNSUPPORTED_FORM'],
  'a video with two sounds': [
    make.isoMedia('isom', make.videoTrack(), make.audioTrack(), make.audioTrack()),
    'UNSUPPORTED_FORM',
  ],
  'a video with MP3 sound': [
    make.isoMedia('isom', make.videoTrack(), make.audioTrack(0x6b)),
    'UNSUPPORTED_FORM',
  ],
  'Ogg Vorbis': [make.ogg({ head: '\x01vorbis ' }), 'UNSUPPORTED_FORM'],
  'Opus in stereo': [make.ogg({ channels: 2 }), 'UNSUPPORTED_FORM'],
  'Ogg without its last page': [make.ogg({ last: false }), 'CORRUPT'],

  'a plain archive': [hidden, 'UNSUPPORTED_TYPE'],
  'an archive of ten gigabytes of zeros': [
    make.office(
      'xlsx',
      { name: 'xl/a.xml', unpacked: 4_000_000_000 },
      { name: 'xl/b.xml', unpacked: 4_000_000_000 },
    ),
    'DECOMPRESSION_BOMB',
  ],
  'an archive that unpacks a thousandfold': [
    make.office('docx', { name: 'word/a.xml', unpacked: 100_000_000 }),
    'DECOMPRESSION_BOMB',
  ],
  'an archive whose parts overlap': [
    make.office('docx', { name: 'word/a.xml', at: 0 }),
    'DECOMPRESSION_BOMB',
  ],
  'a document with macros': [make.office('docx', { name: 'word/vbaProject.bin' }), 'MACROS'],
  'an old document with macros': [make.compoundFile('Root Entry', 'WordDocument', 'VBA'), 'MACROS'],
  'an encrypted document': [make.compoundFile('Root Entry', 'EncryptedPackage'), 'UNSUPPORTED_FORM'],
  'a compound file of something else': [make.compoundFile('Root Entry', 'Installer'), 'UNSUPPORTED_TYPE'],
  'a document with bytes before it': [
    Buffer.concat([make.office('docx').subarray(0, 4), text('xxxx'), make.office('docx').subarray(4)]),
    'CORRUPT',
  ],
};

suite('refused', () => {
  for (const [name, [bytes, expected, claims]] of Object.entries(bad)) {
    test(`${name}: ${expected}`, async () => assert.equal(await outcome(bytes, claims), expected));
  }
});

test('what tools declare when they do not know, and other names of a type, agree with it', async () => {
  for (const declaredMime of ['', 'application/octet-stream', 'IMAGE/JPG', 'image/jpeg; q=1']) {
    assert.equal(await outcome(rgb, { declaredMime, filename: 'A.JPG' }), 'IMAGE image/jpeg');
  }
  assert.equal(
    await outcome(text('a,b\n1,2\n'), { declaredMime: 'text/csv', filename: 'x.csv' }),
    'DOCUMENT text/plain',
  );
});

suite('lines of JSON', () => {
  const rows = text('{"a":"é"}\r\n\n[1, null]\n"x"');

  test('are what their name or their declared type says, and not to be sent', async () => {
    for (const claims of [
      { filename: 'people.ndjson' },
      { filename: 'People.JSONL', declaredMime: 'text/plain' },
      { filename: 'people.jsonl', declaredMime: 'application/json' },
      { filename: 'people.ndjson', declaredMime: 'application/octet-stream' },
      { declaredMime: 'application/x-ndjson' },
      { declaredMime: 'application/jsonl; charset=utf-8', requestedType: 'DOCUMENT' as const },
    ]) {
      assert.deepEqual(
        await find(rows, claims),
        { ok: true, type: 'DOCUMENT', mimeType: 'application/x-ndjson', sendable: false },
        JSON.stringify(claims),
      );
    }
  });

  test('stay plain text, which can be sent, where nobody says otherwise', async () => {
    for (const claims of [{}, { filename: 'log.txt' }, { declaredMime: 'text/plain' }]) {
      const { ok, mimeType, sendable } = (await find(rows, claims)) as Record<string, unknown>;
      assert.deepEqual([ok, mimeType, sendable], [true, 'text/plain', true]);
    }
  });

  const long = `{"a":"${'x'.repeat(1024 * 1024)}"}`;
  const refusals: Record<string, [Buffer, string]> = {
    'one line is not JSON': [text('{"a":1}\n{"a":\n'), 'TYPE_MISMATCH'],
    'the last line is cut off': [text('{"a":1}\n{"b"'), 'TYPE_MISMATCH'],
    'it is a table': [text('phone,name\n+33612000071,Zoé\n'), 'TYPE_MISMATCH'],
    'a line is longer than may be parsed': [text(`${long}\n`), 'UNSUPPORTED_FORM'],
    'a line never ends': [text(`{"a":1}\n"${'x'.repeat(3 * 1024 * 1024)}`), 'UNSUPPORTED_FORM'],
    'it nests without end': [text('['.repeat(500_000)), 'TYPE_MISMATCH'],
    'it has no line': [text('\n \r\n\n'), 'EMPTY'],
    'it is not UTF-8': [Buffer.from('{"a":"\xe9"}', 'latin1'), 'UNSUPPORTED_TYPE'],
    'it holds a script': [text('{"a":"<script src=x>"}\n'), 'UNSUPPORTED_TYPE'],
    'it is an image': [rgb, 'EXTENSION_MISMATCH'],
  };
  for (const [name, [bytes, expected]] of Object.entries(refusals)) {
    test(`are refused where ${name}: ${expected}`, async () =>
      assert.equal(await outcome(bytes, { filename: 'people.ndjson' }), expected));
  }

  test('are parsed across the borders of what is read at once, and the wrong line is named', async () => {
    const line = `{"name":"${'é'.repeat(700)}"}\n`;
    const found = await find(text(`${line.repeat(200)}nonsense\n${line}`), { filename: 'a.jsonl' });
    assert.equal(
      !found.ok && found.reasons[0]!.message,
      'The content is not of the declared type. Line 201 is not JSON.',
    );
    assert.equal((await find(text(line.repeat(200)), { filename: 'a.jsonl' })).ok, true);
  });
});

test('no damaged file breaks the examination', async () => {
  const samples = Object.values(good).map(([bytes]) => bytes);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (sample, changes) => {
        const bytes = Buffer.from(sample);
        for (const [at, value] of changes) bytes[at % Math.min(bytes.length, 4_096)] = value;
        const found = await find(bytes);
        assert.equal(typeof found.ok, 'boolean');
      },
    ),
    { numRuns: 400 },
  );
});

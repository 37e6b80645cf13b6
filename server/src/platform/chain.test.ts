import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp } from '../../test/harness/app.ts';
import { chainPayload, chainStart, type Link, linkHash, verifyChain } from './chain.ts';

type Head = { sequence: string; hash: Buffer };

function chainOf(payloads: string[]): { links: Link[]; head: Head } {
  const links: Link[] = [];
  let previousHash = chainStart;
  for (const [i, payload] of payloads.entries()) {
    const hash = linkHash(previousHash, BigInt(i + 1), payload);
    links.push({ sequence: String(i + 1), payload, previousHash, hash });
    previousHash = hash;
  }
  return { links, head: { sequence: String(links.length), hash: previousHash } };
}

const payload = fc.record({ id: fc.uuid(), text: fc.string({ unit: 'binary' }) }).map(chainPayload);
const payloads = fc.array(payload, { minLength: 1, maxLength: 12 });
/** A chain and the place of one of its links, counted from 0. */
const chainAndPlace = payloads.chain((all) => fc.tuple(fc.constant(all), fc.nat(all.length - 1)));
const runs = { numRuns: 1_000 };

test('a chain nobody touched holds, also an empty one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(payload, { maxLength: 12 }), async (all) => {
      const { links, head } = chainOf(all);
      assert.deepEqual(await verifyChain(links, all.length > 0 ? head : null), {
        links: all.length,
        broken: null,
      });
    }),
    runs,
  );
});

test('the first hash is that of nothing, and a link hashes its past, its number and its text', () => {
  const nothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  assert.equal(chainStart.toString('hex'), nothing);
  // printf '%s' "$nothing" 0000000000000001 "$(printf '{"a":1}' | xxd -p)" | xxd -r -p | sha256sum
  assert.equal(
    linkHash(chainStart, 1n, '{"a":1}').toString('hex'),
    '368f5e1711b49fe5241d5c7f31be444c38820d0134bc0940402fd1473337c042',
  );
});

type Change = { links: Link[]; head: Head | null; at: number };

/** What somebody with a hand in the database might do to the link at a place, and where it must show. */
const tamperings: Record<string, (links: Link[], place: number, head: Head) => Change | null> = {
  'a changed text': (links, place, head) => {
    links[place] = { ...links[place]!, payload: `${links[place]!.payload} ` };
    return { links, head, at: place + 1 };
  },
  'a changed text with a fitting hash': (links, place, head) => {
    const link = links[place]!;
    const text = `${link.payload} `;
    const hash = linkHash(link.previousHash, BigInt(link.sequence), text);
    links[place] = { ...link, payload: text, hash };
    // The next link still tells of the old one; after the last there is only the head.
    return { links, head, at: Math.min(place + 2, links.length) };
  },
  'a changed hash': (links, place, head) => {
    const hash = Buffer.from(links[place]!.hash);
    hash[0]! ^= 1;
    links[place] = { ...links[place]!, hash };
    return { links, head, at: place + 1 };
  },
  'a changed hash of the link before': (links, place, head) => {
    const previousHash = Buffer.from(links[place]!.previousHash);
    previousHash[31]! ^= 128;
    links[place] = { ...links[place]!, previousHash };
    return { links, head, at: place + 1 };
  },
  'a removed link': (links, place, head) => ({
    links: links.toSpliced(place, 1),
    head,
    at: place === links.length - 1 ? place + 1 : place + 2,
  }),
  'a removed link whose followers closed the gap': (links, place, head) => {
    const rest = links.toSpliced(place, 1).map((link, i) => ({ ...link, sequence: String(i + 1) }));
    return { links: rest, head, at: place + 1 };
  },
  'a skipped number': (links, place, head) => {
    const renumbered = links.map((link, i) => (i < place ? link : { ...link, sequence: String(i + 2) }));
    return { links: renumbered, head, at: place + 2 };
  },
  'an inserted link': (links, place, head) => {
    // Two links then have one number, and the second of them is out of order.
    const { sequence, previousHash } = links[place]!;
    const hash = linkHash(previousHash, BigInt(sequence), 'forged');
    return {
      links: links.toSpliced(place, 0, { sequence, payload: 'forged', previousHash, hash }),
      head,
      at: place + 1,
    };
  },
  'an inserted link whose followers made room': (links, place, head) => {
    const { previousHash } = links[place]!;
    const hash = linkHash(previousHash, BigInt(place + 1), 'forged');
    const forged = { sequence: '', payload: 'forged', previousHash, hash };
    const all = links.toSpliced(place, 0, forged).map((link, i) => ({ ...link, sequence: String(i + 1) }));
    return { links: all, head, at: place + 2 };
  },
  'a link added behind the head': (links, _place, head) => {
    const sequence = String(links.length + 1);
    const hash = linkHash(head.hash, BigInt(sequence), 'forged');
    const forged = { sequence, payload: 'forged', previousHash: head.hash, hash };
    return { links: [...links, forged], head, at: links.length + 1 };
  },
  "two neighbours in each other's place": (links, place, head) => {
    const [a, b] = [links[place], links[place + 1]];
    if (!a || !b) return null;
    return { links: links.toSpliced(place, 2, b, a), head, at: place + 2 };
  },
  'two neighbours with exchanged texts': (links, place, head) => {
    const [a, b] = [links[place], links[place + 1]];
    if (!a || !b || a.payload === b.payload) return null;
    const swapped = links.toSpliced(place, 2, { ...a, payload: b.payload }, { ...b, payload: a.payload });
    return { links: swapped, head, at: place + 1 };
  },
  'a cut-off end': (links, place, head) => ({ links: links.slice(0, place), head, at: place + 1 }),
  'a head set back': (links, place) => ({
    links,
    head: { sequence: String(place), hash: links[place]!.previousHash },
    at: place + 1,
  }),
  'a removed head': (links) => ({ links, head: null, at: 1 }),
  'a head of another chain': (links, _place, head) => ({
    links,
    head: { ...head, hash: chainStart },
    at: links.length,
  }),
};

for (const [name, tamper] of Object.entries(tamperings)) {
  test(`${name} is found, at the right link`, async () => {
    await fc.assert(
      fc.asyncProperty(chainAndPlace, async ([all, place]) => {
        const { links, head } = chainOf(all);
        const changed = tamper(links, place, head);
        fc.pre(changed !== null);
        const { broken } = await verifyChain(changed.links, changed.head);
        assert.equal(broken?.sequence, String(changed.at));
      }),
      runs,
    );
  });
}

test('the database computes the same hashes', async (context) => {
  const app = await startTestApp(context);
  const samples = fc.sample(
    fc.record({
      previous: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
      sequence: fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 1n, max: 300n })),
      text: fc.oneof(payload, fc.string({ unit: 'binary' })).map((text) => text.replaceAll('\0', '')),
    }),
    1_000,
  );
  const rows = await app.sql<{ hash: Buffer }>(
    `select chain_hash(previous, sequence, text) as hash
       from unnest($1::bytea[], $2::bigint[], $3::text[]) with ordinality as given (previous, sequence, text, position)
      order by position`,
    [
      samples.map(({ previous }) => previous),
      samples.map(({ sequence }) => sequence),
      samples.map(({ text }) => text),
    ],
  );
  for (const [i, { hash }] of rows.entries()) {
    const { previous, sequence, text } = samples[i]!;
    assert.deepEqual(hash, linkHash(previous, sequence, text));
  }
});

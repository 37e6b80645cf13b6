import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileAddresses, hostileUrls, publicAddresses } from './outbound.test-data.ts';
import { isPublicAddress, judgeUrl } from './reachable.ts';

const live = { livemode: true, site: { allowPrivateAddresses: false } };
const openSandbox = { livemode: false, site: { allowPrivateAddresses: true } };
const liveBesideOpenSandbox = { livemode: true, site: { allowPrivateAddresses: true } };

test('a hostile URL is refused at configuration', () => {
  assert.ok(hostileUrls.length >= 60);
  for (const url of hostileUrls)
    assert.equal(typeof judgeUrl(url.replace('PORT', '8443'), live), 'string', `${url} was accepted`);
});

test('ordinary receivers are accepted at configuration', () => {
  for (const url of [
    'https://hook.example/',
    'https://hook.example:443/a?b=c#d',
    'https://hook.example:1024/',
    'https://hook.example.:8443/',
    'https://HOOK.example',
    'https://bücher.example/',
    'https://localhost.example/',
    'https://internal.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]:8443/',
    'https://[::ffff:8.8.8.8]/',
  ]) {
    assert.equal(judgeUrl(url, live), null, url);
  }
});

test('the development switch opens loopback, private networks and http to a sandbox, and nothing more', () => {
  const open = [
    'http://localhost:8080/',
    'http://127.0.0.1/',
    'https://[::1]:8443/',
    'http://receiver:3000/',
    'http://10.0.0.5:3000/',
    'http://[fd00::1]:3000/',
    'http://app.internal:3000/',
  ];
  const shut = [
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://168.63.129.16/',
    'http://[fe80::1]/',
    'http://0.0.0.0:3000/',
    'http://user@localhost:3000/',
    'http://localhost:22/',
    'ftp://localhost/',
  ];
  for (const url of open) assert.equal(judgeUrl(url, openSandbox), null, url);
  for (const url of shut) assert.equal(typeof judgeUrl(url, openSandbox), 'string', url);
  for (const url of [...open, ...shut])
    assert.equal(typeof judgeUrl(url, liveBesideOpenSandbox), 'string', url);
});

test('the neighbours of every closed range stay open', () => {
  for (const address of publicAddresses) assert.equal(isPublicAddress(address), true, address);
  for (const address of hostileAddresses) assert.equal(isPublicAddress(address), false, address);
});

// ---- The same rules, reckoned another way

type Span = [first: bigint, last: bigint];

function span(network: bigint, bits: number, width: number): Span {
  const size = 1n << BigInt(width - bits);
  return [network, network + size - 1n];
}

const v4 = (...bytes: number[]) => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const v6 = (...groups: number[]) =>
  [...groups, 0, 0, 0, 0, 0, 0, 0, 0].slice(0, 8).reduce((sum, group) => sum * 65_536n + BigInt(group), 0n);

const closedV4: Span[] = [
  span(v4(0, 0, 0, 0), 8, 32),
  span(v4(10, 0, 0, 0), 8, 32),
  span(v4(100, 64, 0, 0), 10, 32),
  span(v4(127, 0, 0, 0), 8, 32),
  span(v4(168, 63, 129, 16), 32, 32),
  span(v4(169, 254, 0, 0), 16, 32),
  span(v4(172, 16, 0, 0), 12, 32),
  span(v4(192, 0, 0, 0), 24, 32),
  span(v4(192, 0, 2, 0), 24, 32),
  span(v4(192, 88, 99, 0), 24, 32),
  span(v4(192, 168, 0, 0), 16, 32),
  span(v4(198, 18, 0, 0), 15, 32),
  span(v4(198, 51, 100, 0), 24, 32),
  span(v4(203, 0, 113, 0), 24, 32),
  span(v4(224, 0, 0, 0), 4, 32),
  span(v4(240, 0, 0, 0), 4, 32),
];
const openV6 = span(v6(0x2000), 3, 128);
const closedV6: Span[] = [
  span(v6(0x2001), 23, 128),
  span(v6(0x2001, 0xdb8), 32, 128),
  span(v6(0x2002), 16, 128),
  span(v6(0x3fff), 20, 128),
];
const mapped = span(v6(0, 0, 0, 0, 0, 0xffff), 96, 128);

const within = (value: bigint, [first, last]: Span) => value >= first && value <= last;
const isOpenV4 = (value: bigint) => !closedV4.some((closed) => within(value, closed));
const isOpenV6 = (value: bigint) =>
  within(value, mapped)
    ? isOpenV4(value - mapped[0])
    : within(value, openV6) && !closedV6.some((closed) => within(value, closed));

/** Any value, and often one at or beside the edge of a span, where mistakes live. */
const nearEdges = (spans: Span[], max: bigint) =>
  fc.oneof(
    fc.bigInt({ min: 0n, max }),
    fc.constantFrom(...spans).chain(([first, last]) => fc.bigInt({ min: first, max: last })),
    fc
      .tuple(fc.constantFrom(...spans.flat()), fc.bigInt({ min: -2n, max: 2n }))
      .map(([edge, step]) => (edge + step < 0n || edge + step > max ? edge : edge + step)),
  );
const anyV4 = nearEdges(closedV4, 2n ** 32n - 1n);
const anyV6 = nearEdges([openV6, mapped, ...closedV6], 2n ** 128n - 1n);

const dotted = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
const groupsOf = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
const compressed = (value: bigint) => new URL(`http://[${groupsOf(value).join(':')}]`).hostname.slice(1, -1);

test('the judge of addresses agrees with plain arithmetic over the ranges', () => {
  fc.assert(
    fc.property(anyV4, (value) => {
      const expected = isOpenV4(value);
      const hex = groupsOf(value).slice(6).join(':');
      const forms = [dotted(value), `::ffff:${dotted(value)}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`];
      for (const form of forms) assert.equal(isPublicAddress(form), expected, form);
      // The same bits as an IPv4-compatible, NAT64 or 6to4 address never open a door.
      for (const form of [`::${dotted(value)}`, `64:ff9b::${dotted(value)}`, `2002:${hex}::`])
        assert.equal(isPublicAddress(form), false, form);
    }),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(anyV6, (value) => {
      const expected = isOpenV6(value);
      const full = groupsOf(value).map((group) => group.padStart(4, '0'));
      for (const form of [full.join(':'), full.join(':').toUpperCase(), compressed(value)])
        assert.equal(isPublicAddress(form), expected, form);
    }),
    { numRuns: 3_000 },
  );
});

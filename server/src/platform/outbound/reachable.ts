// What may be reached: the judge of addresses and of URLs, for every call that leaves the service.
import { isIP } from 'node:net';

type Range = { network: bigint; hostBits: bigint };

/**
 * One number line for both families: an IPv4 address stands where its IPv4-mapped form stands, so
 * the two are judged alike. Takes only what `isIP` has accepted.
 */
function numberOf(address: string): bigint {
  const wide = address.includes(':') ? address : `::ffff:${address}`;
  const hexadecimal = wide.replace(/[\d.]+\.[\d.]+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = [], right = []] = hexadecimal.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function rangesOf(text: string): Range[] {
  return text.split(' ').map((range) => {
    const [address = '', prefix] = range.split('/');
    const hostBits = BigInt((isIP(address) === 4 ? 32 : 128) - Number(prefix));
    return { network: numberOf(address) >> hostBits, hostBits };
  });
}

// Everything outside is local, unassigned, or an IPv4 address in disguise (NAT64, IPv4-compatible).
const globalRanges = rangesOf('0.0.0.0/0 2000::/3');
const hiddenRanges = rangesOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 ' +
    '192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
    '224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);
// Cloud metadata services are link-local and thus stay out of reach of a sandbox too.
const developmentRanges = rangesOf('127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7');

function isWithin(address: string, ranges: Range[]): boolean {
  // A zone index belongs only to addresses that are not public.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const value = numberOf(address);
  return ranges.some(({ network, hostBits }) => value >> hostBits === network);
}

export function isPublicAddress(address: string): boolean {
  return isWithin(address, globalRanges) && !isWithin(address, hiddenRanges);
}

/** `allowPrivate` is the switch of development and sandboxes: it adds loopback and private networks. */
export function mayReach(address: string, allowPrivate: boolean): boolean {
  return isPublicAddress(address) || (allowPrivate && isWithin(address, developmentRanges));
}

/** The host without the brackets of IPv6 and without the dot of a fully qualified name. */
export const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$|\.+$/g, '');

/** Where a URL is to be called from: a tenant's transaction or call is one. */
export type Place = { livemode: boolean; site: { allowPrivateAddresses: boolean } };

/** The one rule: whatever an installation allows its sandboxes, live reaches public addresses over https only. */
export const allowsPrivate = ({ livemode, site }: Place): boolean => !livemode && site.allowPrivateAddresses;

/** Why this URL is refused there, or null. To be asked at configuration time; every request asks it again. */
export const judgeUrl = (text: string, place: Place): string | null => judgeWith(text, allowsPrivate(place));

/** The same for a client that knows already what it may reach. */
export function judgeWith(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (!url) return 'The URL is not valid.';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return 'The URL must use https.';
  if (url.username || url.password) return 'The URL must not contain a user name or password.';
  if (url.port !== '' && Number(url.port) < 1024) return 'The port must be 443, or 1024 and above.';
  const host = bareHost(url);
  if (isIP(host)) return mayReach(host, allowPrivate) ? null : 'The address is not public.';
  if (host === '' || host.split('.').includes('')) return 'The host name is not valid.';
  if (!allowPrivate && (!host.includes('.') || /\.(localhost|local|internal)$/.test(host)))
    return 'The host name is not public.';
  return null;
}

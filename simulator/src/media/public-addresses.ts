// Which addresses belong to the public internet. Everything that is local, reserved, or an IPv4 address in the clothes of
// IPv6 does not.
import { BlockList, isIP } from 'node:net';

function listOf(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const hidden = listOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
    '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);
const assigned = listOf('2000::/3');
const loopback = listOf('127.0.0.0/8 ::1/128');

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !hidden.check(address, 'ipv4');
  return isIP(address) === 6 && assigned.check(address, 'ipv6') && !hidden.check(address, 'ipv6');
}

export const isLoopback = (address: string): boolean =>
  loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

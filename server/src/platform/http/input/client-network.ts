import ipaddr from 'ipaddr.js';

/**
 * Who counts as one caller where addresses are limited. Whoever has IPv6 has a whole /64 to choose from, so that is one; an IPv4
 * address is one in either of its spellings. What is no address, as a proxy may say, is one of its own.
 */
export function networkOf(address: string): string {
  // Every request asks, and most come by IPv4.
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  const network = parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

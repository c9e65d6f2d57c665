import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Whether an IP address belongs to a host on the public internet: not to this machine, its network, a cloud's metadata
 * service, or a group. IPv6 is an allow-list (global unicast without tunnels); text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  if (embeddingIpv6.check(address, 'ipv6')) return isPublicAddress(embeddedIpv4(address));
  if (specialIpv6.check(address, 'ipv6') || isatapPattern.test(canonical(address))) return false;
  return globalIpv6.check(address, 'ipv6');
}

/** IANA's special-purpose registry, and addresses at which clouds serve credentials. */
const specialIpv4Ranges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special ranges inside of global unicast: protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6Ranges: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Their last 32 bits are an IPv4 address: mapped addresses, and NAT64 on networks without IPv4. */
const embeddingRanges: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

const specialIpv4 = blockListOf(specialIpv4Ranges, 'ipv4');
const specialIpv6 = blockListOf(specialIpv6Ranges, 'ipv6');
const embeddingIpv6 = blockListOf(embeddingRanges, 'ipv6');
const globalIpv6 = blockListOf([['2000::', 3]], 'ipv6');

function blockListOf(
  ranges: readonly (readonly [string, number])[],
  family: 'ipv4' | 'ipv6',
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

/** Interface ids that tunnel to the IPv4 address in their last 32 bits. */
const isatapPattern = /:(?:200:)?5efe:[\da-f]+:[\da-f]+$/;

/** The one spelling that the URL standard gives an IPv6 address: hexadecimal, without an IPv4 tail. */
function canonical(address: string): string {
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? '';
}

/** Empty, hence not public, where zeros are abbreviated: 0.0.0.0/16 is. */
function embeddedIpv4(address: string): string {
  const [, high, low] = /([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical(address)) ?? [];
  if (high === undefined || low === undefined) return '';
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

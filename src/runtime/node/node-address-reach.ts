// Where an IP address leads: to the internet, into somebody's own network, or to a place that no stranger may have us
// talk to, such as this machine or the service that hands out a cloud's credentials.
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

export type Reach = "public" | "site" | "never";

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Networks of a site, which the internet does not route. */
const siteNetworks: readonly string[] = Object.freeze([
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"],
  "fc00::/7",
]);

/** This machine, its link, multicast, what stands for no machine, and where clouds hand out credentials. */
const forbiddenNetworks: readonly string[] = Object.freeze([
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/3", "100.100.100.200/32", "168.63.129.16/32"],
  ...["::/128", "::1/128", "fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128"],
  // Old ways to wrap an IPv4 address, which nobody needs.
  ...["2001::/32", "2002::/16", "100::/64", "64:ff9b:1::/48"],
]);

/** Prefixes of 96 bits behind which an IPv4 address stands, as they begin when a URL has normalized them. */
const WRAPPED_IPV4 = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})?$/;

/** Judges an address as text; a text that is no address leads nowhere good. */
export function reachOf(address: string): Reach {
  const plain = withoutZone(address);
  if (isIP(plain) === 0) return "never";
  const judged = unwrap(plain);
  if (forbiddenNetworks.some((network) => isAddressWithin(judged, network))) return "never";
  return siteNetworks.some((network) => isAddressWithin(judged, network)) ? "site" : "public";
}

/** Whether an address lies in a network such as `10.0.0.0/8`; a single address is a network, too. */
export function isAddressWithin(address: string, network: string): boolean {
  const plain = withoutZone(address);
  const [base = "", length] = network.split("/");
  if (isIP(base) === 0 || isIP(base) !== isIP(plain)) return false;
  const family = isIPv4(base) ? "ipv4" : "ipv6";
  const bitsMax = isIPv4(base) ? IPV4_BITS : IPV6_BITS;
  const bits = length === undefined ? bitsMax : Number(length);
  if (!Number.isInteger(bits) || bits < 0 || bits > bitsMax) return false;
  const list = new BlockList();
  list.addSubnet(base, bits, family);
  return list.check(plain, family);
}

/** The IPv4 address behind an IPv6 one that wraps it; the same address otherwise. */
function unwrap(address: string): string {
  if (!isIPv6(address)) return address;
  const normalized = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const wrapped = WRAPPED_IPV4.exec(normalized);
  if (wrapped === null) return address;
  const [, high = "0", low = "0"] = wrapped;
  const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

/** A zone behind % says nothing of where an address leads. */
function withoutZone(address: string): string {
  return address.split("%")[0] ?? "";
}

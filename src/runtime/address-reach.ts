// Where an IP address leads: to the internet, into somebody's own network, or to a place that no stranger may have us talk to, such as
// this machine or the service that hands out a cloud's credentials. Judged by its bytes, however it is written.

export type Reach = "public" | "site" | "never";

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

/** Networks of a site, which the internet does not route. */
const siteNetworks: readonly string[] = Object.freeze([
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"],
  "fc00::/7",
]);

/** This machine, its neighbours on the link, groups of machines, what stands for no machine, and where clouds answer to their own. */
const forbiddenNetworks: readonly string[] = Object.freeze([
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/3", "100.100.100.200/32", "168.63.129.16/32"],
  ...["::/128", "::1/128", "fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128"],
  // Old ways to wrap an IPv4 address, which nobody needs.
  ...["2001::/32", "2002::/16", "100::/64", "64:ff9b:1::/48"],
]);

/** Prefixes of IPv6 behind which an IPv4 address stands. */
const wrappings: readonly string[] = Object.freeze(["::ffff:0:0/96", "64:ff9b::/96"]);

/** Judges an address as text; one that is none leads nowhere good. */
export function reachOf(address: string): Reach {
  const bytes = parseAddress(address);
  if (bytes === undefined) return "never";
  const judged = wrappings.some((network) => isWithin(bytes, network)) ? bytes.slice(IPV6_BYTES - IPV4_BYTES) : bytes;
  if (forbiddenNetworks.some((network) => isWithin(judged, network))) return "never";
  return siteNetworks.some((network) => isWithin(judged, network)) ? "site" : "public";
}

/** Whether an address lies in a network such as `10.0.0.0/8`; a single address is a network, too. */
export function isAddressWithin(address: string, network: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && isWithin(bytes, network);
}

function isWithin(bytes: readonly number[], network: string): boolean {
  const [base = "", length] = network.split("/");
  const prefix = parseAddress(base);
  if (prefix === undefined || prefix.length !== bytes.length) return false;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  return bytes.every((byte, at) => {
    const left = Math.min(8, Math.max(0, bits - at * 8));
    const mask = 0xff & (0xff << (8 - left));
    return (byte & mask) === ((prefix[at] ?? 0) & mask);
  });
}

/** The bytes of an address in its usual form, 4 or 16 of them; a zone behind % says nothing of where it leads. */
function parseAddress(text: string): readonly number[] | undefined {
  const [plain = ""] = text.split("%");
  return plain.includes(":") ? parseIpv6(plain) : parseIpv4(plain);
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const isForm = parts.length === IPV4_BYTES && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  const bytes = parts.map(Number);
  return isForm && bytes.every((byte) => byte <= 0xff) ? bytes : undefined;
}

function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : bytesOfGroups(half.split(":"))));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (halves.length === 1) return head.length === IPV6_BYTES ? head : undefined;
  const missing = IPV6_BYTES - head.length - (tail?.length ?? 0);
  return missing < 2 ? undefined : [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
}

/** Groups of hexadecimal digits, the last of which may be an IPv4 address. */
function bytesOfGroups(groups: readonly string[]): readonly number[] | undefined {
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    const wrapped = at === groups.length - 1 ? parseIpv4(group) : undefined;
    if (wrapped !== undefined) bytes.push(...wrapped);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}

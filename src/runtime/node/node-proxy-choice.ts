// Which proxy a request goes through, by the environment, as Go's programs read it: HTTPS_PROXY or HTTP_PROXY by the
// scheme of the address, NO_PROXY with names, addresses and networks. Loopback is never proxied.
import { isIP } from "node:net";
import { isAddressWithin } from "./node-address-reach.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK: readonly string[] = Object.freeze(["127.0.0.0/8", "::1/128"]);
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The proxy for an address; undefined for a direct connection. Throws when the environment names no usable proxy. */
export function chooseProxy(target: URL, env: Environment): URL | undefined {
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const written = variableOf(env, name);
  if (written === "" || isDirect(target, variableOf(env, "NO_PROXY"))) return undefined;
  return parseProxy(name, written);
}

/** A proxy's address; the error does not repeat it, since it may hold a password. */
function parseProxy(what: string, written: string): URL {
  const text = SCHEME.test(written) ? written : `http://${written}`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error(`${what} must be the address of an HTTP proxy, such as http://proxy.example.com:3128`);
  }
  return new URL(text);
}

function variableOf(env: Environment, name: string): string {
  return (env[name] || env[name.toLowerCase()] || "").trim();
}

function isDirect(target: URL, noProxy: string): boolean {
  // A literal IPv6 address stands in brackets in a URL only, and a last dot only makes a name absolute.
  const host = target.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (host === "localhost" || LOOPBACK.some((network) => isAddressWithin(host, network))) return true;
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && matchesEntry(entry, host, port));
}

function matchesEntry(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, bracketed, named, entryPort] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  // Neither form: a bare IPv6 address or network.
  const rule = bracketed ?? named ?? entry;
  if (isIP(host) !== 0) return isAddressWithin(host, rule);
  const domain = rule.replace(/^\*?\./, "");
  const matchesItself = domain === rule && host === domain;
  return matchesItself || host.endsWith(`.${domain}`);
}

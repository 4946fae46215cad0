// What a registry wants before it answers, and whether we go where it sends us: a name and a password must not follow a pointer that
// anybody can write.

/** How a registry wants to be asked. */
export type Challenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: string; readonly service: string; readonly scope: string }
  | { readonly scheme: "unknown" };

/** Longer headers are no challenges. */
const HEADER_LENGTH_MAX = 4_096;
const parameter = /([a-zA-Z]+)="([^"]*)"/g;

/** Reads a WWW-Authenticate header of whatever form. */
export function parseChallenge(header: string | undefined): Challenge {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return { scheme: "unknown" };
  if (/^basic\b/i.test(header)) return { scheme: "basic" };
  if (!/^bearer\b/i.test(header)) return { scheme: "unknown" };
  const found = new Map(
    [...header.matchAll(parameter)].map(([, name = "", value = ""]) => [name.toLowerCase(), value]),
  );
  const realm = found.get("realm") ?? "";
  if (!URL.canParse(realm)) return { scheme: "unknown" };
  return { scheme: "bearer", realm, service: found.get("service") ?? "", scope: found.get("scope") ?? "" };
}

export type RealmRule = {
  /** The registry's own host, with its port. */
  readonly host: string;
  /** The registry is asked without TLS, so its tokens may be, too. */
  readonly isPlain: boolean;
  /** Hosts elsewhere that the site trusts with tokens of this registry. */
  readonly trustedHosts: readonly string[];
};

/** Why no token is asked for at a realm; undefined when it may be. It is the registry's host, one of its domain, or a trusted one. */
export function realmFault(realm: string, { host, isPlain, trustedHosts }: RealmRule): string | undefined {
  const url = new URL(realm);
  if (url.protocol !== "https:" && !(isPlain && url.protocol === "http:"))
    return `its token realm ${url.origin} has no TLS`;
  if (url.username !== "" || url.password !== "") return "its token realm holds a user name";
  if (url.host === host || trustedHosts.includes(url.host)) return undefined;
  // The last two labels: auth.docker.io for registry-1.docker.io. An address has no domain to share.
  const isAddress = /^[0-9.]+$|:/.test(url.hostname);
  if (!isAddress && url.port === "" && domainOf(url.hostname) === domainOf(host)) return undefined;
  return `its token realm ${url.host} is not of its domain; name it as a trusted host if it should be`;
}

function domainOf(host: string): string {
  return host.split(".").slice(-2).join(".");
}

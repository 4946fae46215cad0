// A reference to a container image, `[domain/]path[:tag][@digest]`, by the grammar that kubelets and registries share
// (github.com/distribution/reference). Parsed before an image goes into a pod, so that a bad one is our message and not a
// pod that never starts. Stricter than that grammar in two points where it accepts what no kubelet can pull: ports above
// 65535, and a registry that is no host name.
import type { Parsed } from "../decision/problem.ts";
import { quoted } from "./shown.ts";

export const REFERENCE_LENGTH_MAX = 1024;
const PATH_LENGTH_MAX = 255;
const PORT_MAX = 65_535;
const DEFAULT_DOMAIN = "docker.io";

export type ImageReference = {
  /** The registry as written, with its port; undefined where the author relies on the default one. */
  readonly domain: string | undefined;
  readonly path: string;
  readonly tag: string | undefined;
  /** `sha256:…`. It decides which image is pulled, even if a tag stands beside it. */
  readonly digest: string | undefined;
};

/** Where a reference leads: the registry and the repository in it, defaults filled in. */
export type ImageLocation = { readonly domain: string; readonly path: string };

const DIGEST_HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);

/** Parses a reference, or says what is wrong with it and what would be right; never throws. */
export function parseImageReference(text: string, path = "image"): Parsed<ImageReference> {
  const reference = splitReference(text);
  const fault = faultOfText(text) ?? faultOfReference(reference);
  if (fault === undefined) return { ok: true, value: reference };
  return { ok: false, problems: [{ path, message: `image ${quoted(text)}: ${fault}` }] };
}

/** The reference as its author would write it. */
export function imageReferenceText({ domain, path, tag, digest }: ImageReference): string {
  const name = domain === undefined ? path : `${domain}/${path}`;
  return `${name}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}

/** Fills in what a short reference leaves out: `nginx` is docker.io/library/nginx. */
export function imageLocation({ domain, path }: ImageReference): ImageLocation {
  const isDefault = domain === undefined || domain === DEFAULT_DOMAIN || domain === `index.${DEFAULT_DOMAIN}`;
  if (!isDefault) return { domain, path };
  return { domain: DEFAULT_DOMAIN, path: path.includes("/") ? path : `library/${path}` };
}

/** Cuts the text where its parts must end if it is a reference at all; the parts are not checked yet. */
function splitReference(text: string): ImageReference {
  const [named = "", digest] = cut(text, "@");
  const slash = named.indexOf("/");
  const first = named.slice(0, Math.max(slash, 0));
  const domain = isDomain(first) ? first : undefined;
  const [path = "", tag] = cut(domain === undefined ? named : named.slice(slash + 1), ":");
  return { domain, path, tag, digest };
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The first component is a registry if no repository could be named so; anything else lies in the default registry. */
function isDomain(component: string): boolean {
  return component === "localhost" || /[.:]/.test(component) || component !== component.toLowerCase();
}

function faultOfText(text: string): string | undefined {
  if (text === "") return "must not be empty";
  if (text.length > REFERENCE_LENGTH_MAX)
    return `has ${text.length} characters; at most ${REFERENCE_LENGTH_MAX} are allowed`;
  if (/\s/.test(text)) return "must not hold white space";
  if (text.includes("://")) return "must not start with a scheme; write the registry's name first";
  if (/^[a-f0-9]{64}$/.test(text))
    return "64 hexadecimal digits are an image ID, not a repository; name the repository";
  return undefined;
}

function faultOfReference(reference: ImageReference): string | undefined {
  const { domain, path, tag, digest } = reference;
  return (
    (domain === undefined ? undefined : faultOfDomain(domain)) ??
    faultOfPath(path, imageLocation(reference).path) ??
    (tag === undefined ? undefined : faultOfTag(tag)) ??
    (digest === undefined ? undefined : faultOfDigest(digest))
  );
}

function faultOfDomain(domain: string): string | undefined {
  const [, host = domain, port] = /^(.*?)(?::([0-9]+))?$/s.exec(domain) ?? [];
  if (port !== undefined && Number(port) > PORT_MAX) return `port ${quoted(port)} is above ${PORT_MAX}`;
  if (/^\[[0-9a-fA-F:]+\]$/.test(host)) return undefined;
  const isHostName = host.split(".").every((label) => /^[a-zA-Z0-9-]+$/.test(label) && !/^-|-$/.test(label));
  return isHostName ? undefined : `registry ${quoted(domain)} is no host name with an optional port`;
}

function faultOfPath(path: string, fullPath: string): string | undefined {
  if (path === "") return "names no repository";
  if (path !== path.toLowerCase()) return `repository ${quoted(path)} must be in lower case`;
  if (fullPath.length > PATH_LENGTH_MAX) return `a repository has at most ${PATH_LENGTH_MAX} characters`;
  const bad = path.split("/").find((component) => !/^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(component));
  if (bad === undefined) return undefined;
  return `${quoted(bad)} is no part of a repository: letters and digits, with single . or _, __ or dashes between them`;
}

function faultOfTag(tag: string): string | undefined {
  if (/^\w[\w.-]{0,127}$/.test(tag)) return undefined;
  return `tag ${quoted(tag)} must be 1 to 128 letters, digits, _, . or -, and not start with . or -`;
}

function faultOfDigest(digest: string): string | undefined {
  const [algorithm, hex] = cut(digest, ":");
  const length = DIGEST_HEX_LENGTHS.get(algorithm);
  if (length === undefined) return `digest ${quoted(digest)} must be of sha256, sha384 or sha512`;
  if (hex?.length === length && /^[a-f0-9]+$/.test(hex)) return undefined;
  return `digest ${quoted(digest)} must have ${length} hexadecimal digits in lower case after ${algorithm}:`;
}

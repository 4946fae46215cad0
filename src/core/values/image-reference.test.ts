import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageLocation, imageReferenceText, parseImageReference } from "./image-reference.ts";

const sha256 = `sha256:${"0123456789abcdef".repeat(4)}`;
const sha384 = `sha384:${"0123456789abcdef".repeat(6)}`;
const sha512 = `sha512:${"0123456789abcdef".repeat(8)}`;

function faultOf(text: string): string | undefined {
  const parsed = parseImageReference(text);
  return parsed.ok ? undefined : parsed.problems[0]?.message;
}

describe("parseImageReference() takes apart", () => {
  test.each([
    ["nginx", { path: "nginx" }],
    ["nginx:1.27", { path: "nginx", tag: "1.27" }],
    ["library/nginx", { path: "library/nginx" }],
    [
      "quay.io/org/kmod:5.14.0-427.el9_4.x86_64",
      { domain: "quay.io", path: "org/kmod", tag: "5.14.0-427.el9_4.x86_64" },
    ],
    ["localhost/a", { domain: "localhost", path: "a" }],
    ["localhost:5000/a", { domain: "localhost:5000", path: "a" }],
    ["registry:5000/a/b:c", { domain: "registry:5000", path: "a/b", tag: "c" }],
    ["127.0.0.1:65535/a", { domain: "127.0.0.1:65535", path: "a" }],
    ["[::1]/a", { domain: "[::1]", path: "a" }],
    ["[fd00:1::2]:5000/a:b", { domain: "[fd00:1::2]:5000", path: "a", tag: "b" }],
    ["Registry/a", { domain: "Registry", path: "a" }],
    [`a@${sha256}`, { path: "a", digest: sha256 }],
    [`a@${sha384}`, { path: "a", digest: sha384 }],
    [`quay.io/a:b@${sha512}`, { domain: "quay.io", path: "a", tag: "b", digest: sha512 }],
    ["a--b/c__d/e_f/g.h", { path: "a--b/c__d/e_f/g.h" }],
    [`a:${"t".repeat(128)}`, { path: "a", tag: "t".repeat(128) }],
    ["a:Tag_1.-", { path: "a", tag: "Tag_1.-" }],
    ["constructor", { path: "constructor" }],
  ])("%s", (text, expected) => {
    const parsed = parseImageReference(text);
    const whole = { domain: undefined, tag: undefined, digest: undefined, ...expected };
    expect(parsed).toEqual({ ok: true, value: whole });
    expect(parsed.ok && imageReferenceText(parsed.value)).toBe(text);
  });
});

describe("parseImageReference() says what is wrong with", () => {
  test.each([
    ["", 'image "": must not be empty'],
    [":", 'image ":": names no repository'],
    ["@", 'image "@": names no repository'],
    ["quay.io/", 'image "quay.io/": names no repository'],
    ["quay.io/Org/a", 'image "quay.io/Org/a": repository "Org/a" must be in lower case'],
    ["NGINX", 'image "NGINX": repository "NGINX" must be in lower case'],
    ["docker://nginx", 'image "docker://nginx": must not start with a scheme; write the registry\'s name first'],
    ["a b", 'image "a b": must not hold white space'],
    ["a:99999/b", 'image "a:99999/b": port "99999" is above 65535'],
    ["a..b/c", 'image "a..b/c": registry "a..b" is no host name with an optional port'],
    ["-a.b/c", 'image "-a.b/c": registry "-a.b" is no host name with an optional port'],
    ["a_b.c/d", 'image "a_b.c/d": registry "a_b.c" is no host name with an optional port'],
    ["[::1/a", 'image "[::1/a": registry "[::1" is no host name with an optional port'],
    [
      "a//b",
      'image "a//b": "" is no part of a repository: letters and digits, with single . or _, __ or dashes between them',
    ],
    [
      "a/-b",
      'image "a/-b": "-b" is no part of a repository: letters and digits, with single . or _, __ or dashes between them',
    ],
    [
      "a___b",
      'image "a___b": "a___b" is no part of a repository: letters and digits, with single . or _, __ or dashes between them',
    ],
    [
      "__proto__",
      'image "__proto__": "__proto__" is no part of a repository: letters and digits, with single . or _, __ or dashes between them',
    ],
    ["a:", 'image "a:": tag "" must be 1 to 128 letters, digits, _, . or -, and not start with . or -'],
    [
      "a:6.5.0+",
      'image "a:6.5.0+": tag "6.5.0+" must be 1 to 128 letters, digits, _, . or -, and not start with . or -',
    ],
    ["a:-b", 'image "a:-b": tag "-b" must be 1 to 128 letters, digits, _, . or -, and not start with . or -'],
    [
      "a@sha256:abc",
      'image "a@sha256:abc": digest "sha256:abc" must have 64 hexadecimal digits in lower case after sha256:',
    ],
    [
      "a@md5:d41d8cd98f00b204e9800998ecf8427e",
      'image "a@md5:d41d8cd98f00b204e9800998ecf8427e": digest "md5:d41d8cd98f00b204e9800998ecf8427e" must be of sha256, sha384 or sha512',
    ],
    [
      "a;rm",
      'image "a;rm": "a;rm" is no part of a repository: letters and digits, with single . or _, __ or dashes between them',
    ],
  ])("%j", (text, message) => {
    expect(faultOf(text)).toBe(message);
  });

  test.each([
    ["a tag of 129 characters", `a:${"t".repeat(129)}`, /tag .* must be 1 to 128/],
    ["a digest in capitals", `a@${sha256.toUpperCase().replace("SHA", "sha")}`, /in lower case/],
    ["an image ID", "0123456789abcdef".repeat(4), /image ID, not a repository/],
    ["a repository of 256 characters", `quay.io/${"a".repeat(256)}`, /at most 255 characters/],
    ["a repository that is too long with its default part", "a".repeat(250), /at most 255 characters/],
    ["a megabyte", "a".repeat(1 << 20), /^image "a{80}…": has 1048576 characters; at most 1024 are allowed$/],
    ["many dashes", `a${"-".repeat(200)}`, /is no part of a repository/],
  ])("%s", (_, text, message) => {
    expect(faultOf(text)).toMatch(message);
  });

  test("at the path where the image stands", () => {
    expect(parseImageReference("A", "spec.image")).toMatchObject({ ok: false, problems: [{ path: "spec.image" }] });
  });
});

test.each([
  ["nginx", "docker.io/library/nginx"],
  ["org/nginx", "docker.io/org/nginx"],
  ["docker.io/nginx", "docker.io/library/nginx"],
  ["index.docker.io/nginx", "docker.io/library/nginx"],
  ["quay.io/nginx", "quay.io/nginx"],
  ["localhost/nginx", "localhost/nginx"],
])("imageLocation() finds %s at %s", (text, location) => {
  const parsed = parseImageReference(text);
  const { domain, path } = parsed.ok ? imageLocation(parsed.value) : { domain: "", path: "" };
  expect(`${domain}/${path}`).toBe(location);
});

test("parseImageReference() never throws, and what it takes apart can be put together again", () => {
  const piece = fc.constantFrom(
    "a",
    "A",
    "0",
    ".",
    "_",
    "-",
    "/",
    ":",
    "@",
    "[",
    "]",
    "::1",
    "sha256",
    sha256,
    "localhost",
    " ",
    "\ud800",
    "é",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join("")),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (image) => {
      const parsed = parseImageReference(image);
      if (parsed.ok) expect(imageReferenceText(parsed.value)).toBe(image);
    }),
    { numRuns: 1000 },
  );
});

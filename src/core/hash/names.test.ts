import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dns1123LabelFault, dns1123SubdomainFault } from "../labels/label-syntax.ts";
import vectors from "../labels/vectors/kernel-version-label.json" with { type: "json" };
import { childName, dnsSafe } from "./names.ts";

describe("the published vectors hold", () => {
  test.each(vectors)("$kernelVersion is $kmmDnsSafe", ({ kernelVersion, kmmDnsSafe }) => {
    expect(dnsSafe(kernelVersion)).toBe(kmmDnsSafe);
  });
});

test.each([
  ["nvidia", ["uid-1", "5.14.0-427.el9.x86_64"], "nvidia-h24sz8xtf9szbhkvccvf728g"],
  ["", ["uid-1"], "dg9pgpgrr9r9mw6mklmlrzww"],
])("the name of %j for %j is the same for ever", (prefix, identity, expected) => {
  expect(childName(prefix, identity, 63)).toBe(expected);
});

test("names depend on how an identity is divided, not only on its letters", () => {
  expect(childName("a", ["b", "cd"], 63)).not.toBe(childName("a", ["bc", "d"], 63));
  expect(childName("a.b", ["x"], 63)).not.toBe(childName("a-b", ["x"], 63));
});

test("a long prefix is cut before a dash, not after it", () => {
  const name = childName(`${"a".repeat(37)}-b`, ["x"], 63);
  expect(name.slice(0, 38)).toBe(`${"a".repeat(37)}-`);
  expect(name.charAt(38)).not.toBe("-");
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom("__proto__", "-".repeat(300), "\ud800", "İK"),
);

test("a name is always valid and within its limit", () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText), (prefix, identity) => {
      expect(dns1123LabelFault(childName(prefix, identity, 63))).toBeUndefined();
      expect(dns1123SubdomainFault(childName(prefix, identity, 253))).toBeUndefined();
    }),
  );
});

test("no two of 20,000 similar identities share a name", () => {
  const names = Array.from({ length: 20_000 }, (_, index) => childName("set", ["uid", `node-${index}`], 63));
  expect(new Set(names).size).toBe(names.length);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelSafe, nameSafe } from "./label-safe.ts";
import { dns1123LabelFault, labelValueFault } from "./label-syntax.ts";
import vectors from "./vectors/kernel-version-label.json" with { type: "json" };

const HASHED = /(?:^|[A-Za-z0-9]-)[b-z2-9]{24}$/;

/** Texts near the edges: legal, barely illegal, long, and such as end in what looks like our hash. */
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom("5", ".", "-", "_", "+", "a", "A", " "), maxLength: 12 }),
  fc.array(fc.nat(0xffff), { maxLength: 90 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom("b", "2", "-"), minLength: 20, maxLength: 70 }),
  fc.constantFrom("", "+", "__proto__", "constructor", "toString", "\ud800", "\udc00", "\ufffd"),
);

describe("labelSafe()", () => {
  test.each(vectors.filter((vector) => vector.recommendedLabelSafe === vector.kernelVersion))(
    "keeps the plain kernel $kernelVersion as it is",
    ({ kernelVersion }) => {
      expect(labelSafe(kernelVersion)).toBe(kernelVersion);
    },
  );

  test.each(vectors.filter((vector) => vector.recommendedLabelSafe !== vector.kernelVersion))(
    "keeps the readable start of $kernelVersion and adds a hash",
    ({ kernelVersion, recommendedLabelSafe }) => {
      const value = labelSafe(kernelVersion);
      expect(value).toMatch(HASHED);
      expect(value.startsWith(recommendedLabelSafe.slice(0, 38))).toBe(true);
    },
  );

  // Written down because a change would give every DaemonSet of such a kernel another name.
  test.each([
    ["6.5.0+", "6.5.0-t6wm6fznhdhsgr8smjvn2ltv"],
    ["++", "6bxds82jc8z5pbcqn72gqb45"],
    ["constructor", "constructor"],
    ["6.1.0-bcdfghjklmnpqrstvwxz24567", "6.1.0-bcdfghjklmnpqrstvwxz24567"],
    ["6.1.0.bcdfghjklmnpqrstvwxz2456", "6.1.0.bcdfghjklmnpqrstvwxz2456"],
  ])("gives %j the value %s for ever", (text, value) => {
    expect(labelSafe(text)).toBe(value);
  });

  test("alters a legal text that ends like an altered one", () => {
    const altered = labelSafe("6.5.0+");
    expect(labelSafe(altered)).not.toBe(altered);
    expect(labelSafe(labelSafe("++"))).not.toBe(labelSafe("++"));
    expect(labelValueFault(labelSafe(altered))).toBeUndefined();
  });

  test("is always legal and never the same for two texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { maxLength: 20 }), (texts) => {
        const values = texts.map(labelSafe);
        expect(values.flatMap((value) => labelValueFault(value) ?? [])).toEqual([]);
        // The values themselves are texts too, and the likeliest to meet others.
        const all = new Set([...texts, ...values]);
        expect(new Set([...all].map(labelSafe)).size).toBe(all.size);
      }),
    );
  });

  // Found in seconds against a 57-bit FNV hash, which this function once used: a node chooses its own kernel release.
  test("keeps apart two kernels that were made to meet", () => {
    const start = "5.14.0-427.13.1.el9_4.x86_64+aaaaaaaaaaaaaaaaaaaaa";
    const [one, other] = [`${start}64vs6hkcrptca`, `${start}7x7qqz3mfroaa`];
    expect(labelSafe(one)).not.toBe(labelSafe(other));
    expect(nameSafe(one, 63)).not.toBe(nameSafe(other, 63));
  });

  test("takes a megabyte of anything", () => {
    for (const char of ["a", "+", "\ud800"]) {
      expect(labelValueFault(labelSafe(char.repeat(1 << 20)))).toBeUndefined();
    }
    expect(labelSafe("a".repeat(1 << 20))).not.toBe(labelSafe("a".repeat((1 << 20) + 1)));
  });
});

describe("nameSafe()", () => {
  test.each([
    ["gpu-driver", 63, "gpu-driver"],
    ["5", 63, "5"],
    ["constructor", 24, "constructor"],
  ])("keeps the legal %j within %d characters", (text, lengthMax, name) => {
    expect(nameSafe(text, lengthMax)).toBe(name);
  });

  test.each([
    ["5.14.0-427.el9_4", 63, /^5-14-0-427-el9-4-[b-z2-9]{24}$/],
    ["Upper", 63, /^upper-[b-z2-9]{24}$/],
    ["gpu-driver", 9, undefined],
    ["a".repeat(64), 63, /^a{38}-[b-z2-9]{24}$/],
    ["a".repeat(64), 24, /^[b-z2-9]{24}$/],
    ["a-------------------------------b", 32, /^a-[b-z2-9]{24}$/],
    ["", 63, /^[b-z2-9]{24}$/],
    ["__proto__", 63, /^proto-[b-z2-9]{24}$/],
  ])("alters %j within %d characters", (text, lengthMax, expected) => {
    if (expected === undefined) expect(() => nameSafe(text, lengthMax)).toThrow(/cannot hold a hash/);
    else expect(nameSafe(text, lengthMax)).toMatch(expected);
  });

  test("is always legal, within its limit, and never the same for two texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { maxLength: 20 }), fc.integer({ min: 24, max: 63 }), (texts, lengthMax) => {
        const values = texts.map((text) => nameSafe(text, lengthMax));
        expect(values.flatMap((value) => dns1123LabelFault(value) ?? [])).toEqual([]);
        expect(values.every((value) => value.length <= lengthMax)).toBe(true);
        const all = new Set([...texts, ...values]);
        expect(new Set([...all].map((text) => nameSafe(text, lengthMax))).size).toBe(all.size);
      }),
    );
  });
});

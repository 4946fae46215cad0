import { describe, expect, test } from "vitest";
import {
  annotationKeyFault,
  dns1035LabelFault,
  dns1123LabelFault,
  dns1123SubdomainFault,
  generateNameFault,
  labelKeyFault,
  labelValueFault,
} from "./label-syntax.ts";
import annotationKeys from "./vectors/annotation-key.json" with { type: "json" };
import dns1035Labels from "./vectors/dns1035-label.json" with { type: "json" };
import dns1123Labels from "./vectors/dns1123-label.json" with { type: "json" };
import dns1123Subdomains from "./vectors/dns1123-subdomain.json" with { type: "json" };
import generateNames from "./vectors/generate-name-prefix.json" with { type: "json" };
import labelKeys from "./vectors/label-key.json" with { type: "json" };
import labelValues from "./vectors/label-value.json" with { type: "json" };

const isValid = (fault: string | undefined) => fault === undefined;

describe("the published vectors hold", () => {
  test.each(labelValues)("label value $value: $valid", ({ value, valid }) => {
    expect(isValid(labelValueFault(value))).toBe(valid);
  });
  test.each(labelKeys)("label key $key: $valid", ({ key, valid }) => {
    expect(isValid(labelKeyFault(key))).toBe(valid);
  });
  test.each(annotationKeys)("annotation key $key: $valid", ({ key, valid }) => {
    expect(isValid(annotationKeyFault(key))).toBe(valid);
  });
  test.each(dns1123Labels)("DNS-1123 label $value: $valid", ({ value, valid }) => {
    expect(isValid(dns1123LabelFault(value))).toBe(valid);
  });
  test.each(dns1123Subdomains)("DNS-1123 subdomain $value: $valid", ({ value, valid }) => {
    expect(isValid(dns1123SubdomainFault(value))).toBe(valid);
  });
  test.each(dns1035Labels)("DNS-1035 label $value: $valid", ({ value, valid }) => {
    expect(isValid(dns1035LabelFault(value))).toBe(valid);
  });
  test.each(generateNames)("generateName $value: $valid", ({ value, valid }) => {
    expect(isValid(generateNameFault(value))).toBe(valid);
  });
});

test.each([
  ["two dots in a row", "a..b"],
  ["a dash before a dot", "a-.b"],
  ["a dash after a dot", "a.-b"],
  ["a leading dot", ".a"],
  ["a trailing dot", "a."],
])("a subdomain may not have %s", (_what, text) => {
  expect(dns1123SubdomainFault(text)).toBe("must start and end each part between dots with a letter or digit");
});

test("a second slash is named as such", () => {
  expect(labelKeyFault("a/b/c")).toBe("must hold at most one slash, between a DNS prefix and a name");
});

test("annotation keys are lower-cased as the API server does it, code point by code point", () => {
  expect(annotationKeyFault("\u0130")).toBeUndefined();
  expect(annotationKeyFault("\u212a")).toBeUndefined();
  expect(annotationKeyFault("\u00e9")).toBeDefined();
});

test("generateName hides only the byte before the dash, so half a character stays illegal", () => {
  expect(generateNameFault("_-")).toBeUndefined();
  expect(generateNameFault("\u00e9-")).toBeDefined();
});

test("names that objects inherit are ordinary label keys", () => {
  expect(labelKeyFault("constructor")).toBeUndefined();
  expect(labelKeyFault("toString")).toBeUndefined();
  expect(labelKeyFault("__proto__")).toBe("must start and end with a letter or digit");
});

test("a lone surrogate and a megabyte are refused like any other illegal text", () => {
  expect(labelValueFault("\ud800")).toBeDefined();
  expect(labelKeyFault("\udfff/a")).toBeDefined();
  expect(labelKeyFault("a".repeat(1 << 20))).toBe("must have a name of at most 63 bytes");
});

import { expect, test } from "vitest";
import {
  annotationKeyFaults,
  dns1035LabelFaults,
  dnsLabelFaults,
  labelKeyFaults,
  labelValueFaults,
  subdomainFaults,
} from "./name-syntax.ts";

const openingOf = (faults: readonly string[]) => faults.map((fault) => fault.slice(0, 40));

test.each([
  ["a subdomain", subdomainFaults, ["a", "a.b-c", "a".repeat(253)]],
  ["a DNS label", dnsLabelFaults, ["a", "a-1", "a".repeat(63)]],
  ["a service name", dns1035LabelFaults, ["a", "a-1"]],
  ["a label key", labelKeyFaults, ["k", "example.dev/K_1.x", "k".repeat(63)]],
  ["an annotation key", annotationKeyFaults, ["k", "Example.DEV/K"]],
  ["a label value", labelValueFaults, ["", "v", "5.10.0-1_x", "v".repeat(63)]],
])("%s that is legal has no fault", (_what, faultsOf, texts) => {
  expect(texts.flatMap((text) => [...faultsOf(text)])).toEqual([]);
});

test.each([
  ["a name too long", subdomainFaults("a".repeat(254)), ["must be no more than 253 characters"]],
  ["a name too long and wrong", subdomainFaults("A".repeat(254)).slice(0, 1), ["must be no more than 253 characters"]],
  ["a name with an underscore", subdomainFaults("a_b"), ["a lowercase RFC 1123 subdomain must consist "]],
  ["an empty name", subdomainFaults(""), ["a lowercase RFC 1123 subdomain must consist "]],
  ["a container with a dot", dnsLabelFaults("a.b"), ["must not contain dots"]],
  ["a container in upper case", dnsLabelFaults("A"), ["a lowercase RFC 1123 label must consist of"]],
  ["a service that starts with a digit", dns1035LabelFaults("1a"), ["a DNS-1035 label must consist of lower c"]],
  ["a prefix in upper case", labelKeyFaults("E.dev/k"), ["prefix part a lowercase RFC 1123 subdoma"]],
  ["an empty prefix", labelKeyFaults("/k"), ["prefix part must be non-empty"]],
  ["an empty name part", labelKeyFaults("a/").slice(0, 1), ["name part must be non-empty"]],
  ["a key too long", labelKeyFaults("k".repeat(64)), ["name part must be no more than 63 bytes"]],
  ["two slashes", labelKeyFaults("a/b/c"), ["a valid label key must consist of alphan"]],
  ["an annotation key with a blank", annotationKeyFaults("a b"), ["name part must consist of alphanumeric c"]],
  ["a value too long", labelValueFaults("v".repeat(64)), ["must be no more than 63 bytes"]],
  ["a value with a plus sign", labelValueFaults("6.1+"), ["a valid label must be an empty string or"]],
])("%s is named in the server's words", (_what, faults, openings) => {
  expect(openingOf(faults)).toEqual(openingOf(openings));
});

import { describe, expect, test } from "vitest";
import { dns1123SubdomainFault } from "../labels/label-syntax.ts";
import { controllerRevisionHash, controllerRevisionName } from "./controller-revision-hash.ts";
import hashes from "./vectors/controller-revision-hash.json" with { type: "json" };
import names from "./vectors/controller-revision-name.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(hashes)("$raw with count $probe hashes to $hash", ({ raw, probe, hash }) => {
    expect(controllerRevisionHash(raw, probe ?? undefined)).toBe(hash);
  });
  test.each(names)("$prefix and $hash are named $expected", ({ prefix, hash, expected }) => {
    expect(controllerRevisionName(prefix, hash)).toBe(expected);
  });
});

test("the longest parent still gives a legal name", () => {
  expect(
    dns1123SubdomainFault(controllerRevisionName("p".repeat(253), controllerRevisionHash("{}", 0))),
  ).toBeUndefined();
});

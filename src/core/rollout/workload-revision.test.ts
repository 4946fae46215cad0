import { describe, expect, test } from "vitest";
import { objectIdentity } from "../decision/object-identity.ts";
import type { StoredObject } from "../decision/snapshot.ts";
import type { JsonObject } from "../json/json.ts";
import { parseWorkload } from "./workload.ts";
import {
  createRevisionReader,
  EQUIVALENT_REVISIONS,
  EQUIVALENT_REVISIONS_MAX,
  equivalentsAfter,
  isCurrentPod,
} from "./workload-revision.ts";

const template = (image: string): JsonObject => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "main", image }] },
});
const aWorkload = (image: string, annotations: Readonly<Record<string, string>> = {}) =>
  parseWorkload({ metadata: { name: "a", annotations }, spec: { template: template(image) } });
const aRevision = (hash: string, revision: number, kept: JsonObject): StoredObject => {
  const object = {
    ...{ metadata: { labels: { "controller-revision-hash": hash } }, revision },
    data: { spec: { template: { ...kept, $patch: "replace" } } },
  };
  return { ...objectIdentity(object), object };
};
const pod = (hash: string) => ({ "controller-revision-hash": hash });

describe("the current revision", () => {
  const { currentHash } = createRevisionReader();
  test("is the one that holds the template, not the one with the highest number", () => {
    const revisions = [aRevision("h1", 1, template("v1")), aRevision("h2", 2, template("v2"))];
    expect(currentHash(aWorkload("v1"), revisions)).toBe("h1");
    expect(currentHash(aWorkload("v2"), revisions)).toBe("h2");
  });
  test("is not known while no revision holds the template", () => {
    expect(currentHash(aWorkload("v3"), [aRevision("h1", 1, template("v1"))])).toBeUndefined();
    expect(currentHash(aWorkload("v3"), [])).toBeUndefined();
  });
  test("does not depend on nulls that some servers write", () => {
    const kept = { ...template("v1"), metadata: { labels: { app: "a" }, creationTimestamp: null } };
    expect(currentHash(aWorkload("v1"), [aRevision("h1", 1, kept)])).toBe("h1");
  });
  test("is the newest of two that hold the same", () => {
    const revisions = [aRevision("h1", 1, template("v1")), aRevision("h9", 9, template("v1"))];
    expect(currentHash(aWorkload("v1"), revisions)).toBe("h9");
  });
  test("is never read from revisions that hold anything else", () => {
    const odd: StoredObject = { ...objectIdentity({}), object: { data: "x", revision: "many" } };
    expect(currentHash(aWorkload("v1"), [odd])).toBeUndefined();
  });
});

describe("a pod", () => {
  test.each([
    { name: "of the current revision is current", hash: "h2", current: "h2", is: true },
    { name: "of another revision is outdated", hash: "h1", current: "h2", is: false },
    { name: "is not known to be outdated while the revision is not known", hash: "h1", current: undefined, is: true },
    { name: "of an equivalent revision is current", hash: "h0", current: "h2", is: true },
    { name: "without a hash is outdated", hash: "", current: "h2", is: false },
  ])("$name", ({ hash, current, is }) => {
    const workload = aWorkload("v2", { [EQUIVALENT_REVISIONS]: "h0,h00" });
    expect(isCurrentPod(pod(hash), workload, current)).toBe(is);
  });
});

test("equivalent revisions are kept with the newest first, without repeats and up to a limit", () => {
  const many = Array.from({ length: 20 }, (_, index) => `h${index}`);
  const workload = aWorkload("v2", { [EQUIVALENT_REVISIONS]: many.join(",") });
  const kept = equivalentsAfter(workload, "h3");
  expect(kept.slice(0, 4)).toEqual(["h3", "h0", "h1", "h2"]);
  expect(kept).toHaveLength(EQUIVALENT_REVISIONS_MAX);
  expect(new Set(kept).size).toBe(EQUIVALENT_REVISIONS_MAX);
});

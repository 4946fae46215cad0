import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import {
  isSameRecording,
  isSameTemplate,
  parseRevision,
  patchesAt,
  type Recording,
  recordingOf,
  revisionBody,
  revisionText,
} from "./revision.ts";

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image: "a:1" }] } };
const large = { selector: { matchLabels: { disk: "large" } }, patch: { spec: { hostNetwork: true } } };
const small = { selector: {}, patch: { metadata: { labels: { size: "small" } } }, priority: 5 };

function recorded(spec: JsonObject): Recording {
  const recording = recordingOf(spec);
  if (recording === undefined) throw new Error("the test has no template");
  return recording;
}

function stored(object: JsonObject): StoredObject {
  return { ...objectIdentity(object), object };
}

const set = stored({
  metadata: { name: "agent", namespace: "infra", uid: "set-uid", annotations: { "kubernetes.io/change-cause": "why" } },
});

describe("the data of a revision", () => {
  const templateText =
    '{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"a"}},"spec":{"containers":[{"image":"a:1","name":"main","resources":{}}]}}';

  test("of a set that never had patches is Kruise's, byte by byte", () => {
    expect(revisionText(recorded({ template }), { namesPatches: false })).toBe(`{"spec":{"template":${templateText}}}`);
  });

  test("names patches before the template, as they were written", () => {
    const text = revisionText(recorded({ template, patches: [large] }), { namesPatches: true });
    expect(text).toBe(
      `{"spec":{"patches":[{"patch":{"spec":{"hostNetwork":true}},"selector":{"matchLabels":{"disk":"large"}}}],"template":${templateText}}}`,
    );
  });

  test("says null where patches were taken away, so that a merge patch of it takes them away, too", () => {
    expect(revisionText(recorded({ template, patches: [] }), { namesPatches: true })).toBe(
      `{"spec":{"patches":null,"template":${templateText}}}`,
    );
  });
});

describe("two recordings are the same", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["without patches, however that is said", { template, patches: [] }, { template, patches: null }],
    [
      "with a priority of 0, said or not",
      { template, patches: [large] },
      { template, patches: [{ ...large, priority: 0 }] },
    ],
    ["with the mark of Kruise", { template: { $patch: "replace", ...template } }, { template }],
  ])("%s", (_name, a, b) => {
    expect(isSameRecording(recorded(a), recorded(b))).toBe(true);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["with another priority", { template, patches: [small] }, { template, patches: [{ ...small, priority: 6 }] }],
    ["with patches in another order", { template, patches: [small, large] }, { template, patches: [large, small] }],
    ["with a patch more", { template, patches: [small] }, { template, patches: [small, large] }],
    ["with a patch that is none", { template, patches: ["odd"] }, { template }],
  ])("but not %s", (_name, a, b) => {
    expect(isSameRecording(recorded(a), recorded(b))).toBe(false);
    expect(isSameTemplate(recorded(a), recorded(b))).toBe(true);
  });

  test("and not with another template", () => {
    const other = { ...template, spec: { containers: [{ name: "main", image: "a:2" }] } };
    expect(isSameTemplate(recorded({ template }), recorded({ template: other }))).toBe(false);
    expect(isSameRecording(recorded({ template }), recorded({ template: other }))).toBe(false);
  });
});

test("what has no template has no recording", () => {
  expect([{}, { template: "text" }, { template: null }].map(recordingOf)).toEqual([undefined, undefined, undefined]);
});

test.each([
  { places: "", found: [] },
  { places: "1,0", found: [small, large] },
  { places: "0", found: [large] },
  { places: "2", found: undefined },
  { places: "-1", found: undefined },
  { places: "length", found: undefined },
  { places: "0,,1", found: undefined },
])("patchesAt() finds the patches of a pod that records $places", ({ places, found }) => {
  expect(patchesAt(recorded({ template, patches: [large, small] }), places)).toEqual(found);
});

describe("revisionBody", () => {
  const body = revisionBody({
    ...{ set, recording: recorded({ template, patches: [large] }), namesPatches: true, number: 7 },
    collisionCount: undefined,
  });

  test("is a ControllerRevision of the set with the labels of its pods, and the annotations of the set", () => {
    const { labels, name } = body.metadata;
    expect(body).toMatchObject({
      ...{ apiVersion: "apps/v1", kind: "ControllerRevision", revision: 7 },
      metadata: {
        ...{ namespace: "infra", labels: { app: "a" }, annotations: { "kubernetes.io/change-cause": "why" } },
        ownerReferences: [
          { apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", uid: "set-uid", controller: true },
        ],
      },
    });
    const hash = JSON.parse(JSON.stringify(labels))["controller-revision-hash"];
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(name).toBe(`agent-${hash}`);
  });

  test("holds its data in the order of the bytes that are compared", () => {
    expect(JSON.stringify(body.data)).toBe(
      revisionText(recorded({ template, patches: [large] }), { namesPatches: true }),
    );
  });

  test("is read back as what it was made of", () => {
    const read = parseRevision(stored({ ...body, metadata: { ...body.metadata, uid: "r" } }));
    expect(read).toMatchObject({ uid: "r", number: 7, namesPatches: true, isLabelled: true });
    expect(read.recording && isSameRecording(read.recording, recorded({ template, patches: [large] }))).toBe(true);
    expect(read.recording?.template).not.toHaveProperty("$patch");
  });
});

describe("parseRevision", () => {
  test("takes the name for the hash where the label is missing", () => {
    const revision = parseRevision(stored({ metadata: { name: "agent-abc" }, data: { spec: { template } } }));
    expect(revision).toMatchObject({ hash: "agent-abc", isLabelled: false, namesPatches: false, number: 0 });
  });

  test.each<JsonObject>([
    {},
    { data: null },
    { data: "text" },
    { data: { spec: { template: [] } } },
    { revision: "x" },
  ])("reads %j as a revision of which nobody knows what it holds", (object) => {
    expect(parseRevision(stored(object)).recording).toBeUndefined();
  });
});

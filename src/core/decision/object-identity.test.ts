import fc from "fast-check";
import { expect, test } from "vitest";
import { objectIdentity } from "./object-identity.ts";

test("objectIdentity() reads what decisions need of the metadata", () => {
  const metadata = {
    ...{ namespace: "storage", name: "nydus", uid: "u1", resourceVersion: "7", generation: 3 },
    labels: { app: "nydus" },
    annotations: { note: "x" },
    creationTimestamp: "2026-01-01T00:00:10Z",
    deletionTimestamp: "2026-01-01T00:01:00Z",
    ownerReferences: [{ uid: "other" }, { uid: "owner", controller: true }, { uid: "third", controller: true }],
  };
  expect(objectIdentity({ metadata })).toEqual({
    ...{ namespace: "storage", name: "nydus", uid: "u1", resourceVersion: "7", generation: 3 },
    labels: { app: "nydus" },
    annotations: { note: "x" },
    controllerUid: "owner",
    isLeaving: true,
    createdMs: Date.UTC(2026, 0, 1, 0, 0, 10),
  });
});

test("objectIdentity() takes what is missing or of the wrong type for absent", () => {
  const absent = {
    ...{ namespace: "", name: "", uid: "", resourceVersion: "", generation: 0, labels: {}, annotations: {} },
    ...{ controllerUid: undefined, isLeaving: false, createdMs: undefined },
  };
  const garbled = {
    ...{ namespace: 1, name: null, uid: {}, resourceVersion: [], generation: "3", labels: [], annotations: 7 },
    ...{ ownerReferences: [null, { uid: 4, controller: true }], deletionTimestamp: "", creationTimestamp: "soon" },
  };
  expect(objectIdentity({})).toEqual(absent);
  expect(objectIdentity({ metadata: garbled })).toEqual(absent);
});

test("objectIdentity() keeps only the texts of labels, and shares a map that holds nothing else", () => {
  const labels = { app: "nydus" };
  expect(objectIdentity({ metadata: { labels } }).labels).toBe(labels);
  expect(objectIdentity({ metadata: { labels: { app: "nydus", count: 3 } } }).labels).toEqual({ app: "nydus" });
});

test("objectIdentity() never throws", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (metadata) => {
      expect(typeof objectIdentity(JSON.parse(JSON.stringify({ metadata }))).name).toBe("string");
    }),
  );
});

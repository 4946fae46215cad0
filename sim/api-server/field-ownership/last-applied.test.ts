// Who comes from client-side apply with the annotation of kubectl keeps its fields.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, objectAt } from "../api-object.ts";
import type { Applied } from "./apply-configuration.ts";
import { withLastApplied } from "./last-applied.ts";
import { kind, now, thing, updated } from "./testing/thing-fixture.ts";

describe("from client-side to server-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const last = JSON.stringify(thing({ word: "x", plain: ["a"] }));
  const live = updated(undefined, thing({ word: "x", plain: ["b"] }, { annotations: { [annotation]: last } }));
  const by = (who: string, content: JsonObject) =>
    withLastApplied(kind, { live, applied: thing(content), manager: who, force: false, subresource: "", now });

  test("what kubectl applied and nobody has changed since is no conflict for it, and the annotation follows", () => {
    const answer = by("kubectl", { word: "y" });
    expect(answer).toMatchObject({ outcome: "applied", object: { spec: { word: "y", plain: ["b"] } } });
    const annotations = answer.outcome === "applied" ? objectAt(metaOf(answer.object), "annotations") : {};
    const text = '{"apiVersion":"example.dev/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"word":"y"}}\n';
    expect(annotations).toEqual({ [annotation]: text });
  });

  test("what has changed since is one, and so is everything for anyone else", () => {
    const paths = (answer: Applied) =>
      answer.outcome === "conflicts" ? answer.conflicts.map(({ fields }) => fields) : [];
    expect(paths(by("kubectl", { word: "y", plain: ["c"] }))).toEqual([{ "f:spec": { "f:plain": {} } }]);
    expect(paths(by("other", { word: "y" }))).toEqual([{ "f:spec": { "f:word": {} } }]);
  });
});

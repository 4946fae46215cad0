import { expect, test } from "vitest";
import { parseNodeFacts } from "./node-facts.ts";
import { labelStep } from "./node-label.ts";

const aNode = (labels: Readonly<Record<string, string>>, metadata = {}) =>
  parseNodeFacts({ metadata: { name: "a", uid: "u", labels, ...metadata } });
const wish = (labels: Readonly<Record<string, string>>) => ({ labels, keys: ["k"], why: "so" });

test("a label is written with the UID of the node, and alone", () => {
  const step = labelStep({ node: aNode({ other: "x" }), ...wish({ k: "v" }), after: ["apply it"] });
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: "a", uid: "u", labels: { k: "v" } } };
  expect(step).toEqual({ do: "apply", object, why: "so", after: ["apply it"] });
});
test("a label may say that it is patient, and does not otherwise", () => {
  const node = aNode({});
  expect(labelStep({ node, ...wish({ k: "v" }), isPatient: true })).toMatchObject({ isPatient: true });
  expect(labelStep({ node, ...wish({ k: "v" }), isPatient: false })).not.toHaveProperty("isPatient");
});
test("a label that is there is not written again", () => {
  expect(labelStep({ node: aNode({ k: "v" }), ...wish({ k: "v" }) })).toBeUndefined();
});
test("a label that should not be there is left out of what is applied", () => {
  expect(labelStep({ node: aNode({ k: "v" }), ...wish({}) })?.object.metadata.labels).toEqual({});
});
test("a label that must be gone is named with its value, and only where it is taken away", () => {
  const [node, keys, why] = [aNode({ k: "v", l: "w", other: "x" }), ["k", "l", "m"], "so"];
  const goneOf = (labels: Readonly<Record<string, string>>) =>
    labelStep({ node, labels, keys, why, mustClear: true })?.gone;
  expect([goneOf({}), goneOf({ k: "z" }), goneOf({ k: "z", l: "z" })]).toEqual([
    { k: "v", l: "w" },
    { l: "w" },
    undefined,
  ]);
  expect(labelStep({ node, labels: {}, keys, why })).not.toHaveProperty("gone");
});
test("nothing is written when there is nothing to take away", () => {
  expect(labelStep({ node: aNode({ other: "x" }), ...wish({}) })).toBeUndefined();
});
test("a node that is being deleted is left alone", () => {
  const node = aNode({}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  expect(labelStep({ node, ...wish({ k: "v" }) })).toBeUndefined();
});
test("a key that every object inherits is no label", () => {
  expect(labelStep({ node: aNode({}), labels: {}, keys: ["constructor"], why: "so" })).toBeUndefined();
});

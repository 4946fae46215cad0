// Servers that share kinds share what was worked out from them, and never what was written to one of them.
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { aWidget, widgetDefinition } from "../contract/widget.ts";
import { builtInKinds } from "./built-in/built-in-kinds.ts";
import { KindMemory } from "./kind-memory.ts";
import { aServer, call } from "./testing/plain-kinds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/contract.example.dev/v1/namespaces/default/widgets";
const copyOf = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));
const narrowed: JsonObject = JSON.parse(JSON.stringify(widgetDefinition).replaceAll('"maximum":10', '"maximum":3'));

test("a definition that says the same is compiled once, in whichever object it comes", () => {
  const memory = new KindMemory();
  const types = memory.typesOf(copyOf(widgetDefinition));
  expect(types.length).toBeGreaterThan(0);
  expect(memory.typesOf(copyOf(widgetDefinition))).toBe(types);
});

test("another definition under the same name is judged anew, and so is the first one after it", () => {
  const memory = new KindMemory();
  const wrong = { ...copyOf(widgetDefinition), spec: { ...copyOf(widgetDefinition.spec), scope: "Everywhere" } };
  const faults = [widgetDefinition, wrong, widgetDefinition].map((one) => memory.faultsOf(copyOf(one)).length);
  expect(faults).toEqual([0, 1, 0]);
});

test("each of two servers serves the definition that it was given, and only its own objects", async () => {
  const builtIn = builtInKinds();
  const statuses: number[][] = [];
  for (const definition of [copyOf(widgetDefinition), narrowed, copyOf(widgetDefinition)]) {
    const { transport } = aServer({ builtIn });
    const answers = [
      await call(transport, "GET", widgets),
      await call(transport, "POST", definitions, definition),
      await call(transport, "POST", widgets, copyOf(aWidget("a", { size: 4 }))),
    ];
    statuses.push(answers.map(({ status }) => status));
  }
  expect(statuses).toEqual([
    [404, 201, 201],
    [404, 201, 422],
    [404, 201, 201],
  ]);
});

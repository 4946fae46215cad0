// A layer may change the order of a list and nothing else: that is a change of the pod, too.
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { fieldOrigins } from "./field-origins.ts";

const template: JsonObject = {
  spec: {
    containers: [
      {
        name: "agent",
        image: "agent:1",
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
      },
      { name: "log", image: "log:1" },
    ],
  },
};

const orders = (...patches: readonly Json[]) =>
  fieldOrigins(
    template,
    patches.map((patch, index) => ({ name: `patches[${index}]`, patch })),
  ).filter(({ field }) => field.endsWith("(order)"));

const first = (...names: readonly string[]): JsonObject => ({
  spec: { "$setElementOrder/containers": names.map((name) => ({ name })) },
});

test("containers in another order are told, with the order before", () => {
  const was = [{ value: '"agent", "log"', from: "template" }];
  expect(orders(first("log", "agent"))).toEqual([
    { field: "spec.containers (order)", value: '"log", "agent"', from: "patches[0]", was },
  ]);
});

test("a patch that names elements in another order puts them so", () => {
  const env = [
    { name: "B", value: "2" },
    { name: "A", value: "1" },
  ];
  expect(orders({ spec: { containers: [{ name: "agent", env }] } })).toMatchObject([
    { field: "spec.containers[name=agent].env (order)", value: '"B", "A"' },
  ]);
});

test("each layer that changes the order is told of", () => {
  const [told] = orders(first("log", "agent"), first("agent", "log"));
  expect([told?.value, told?.was.map(({ from }) => from)]).toEqual(['"agent", "log"', ["patches[0]", "template"]]);
});

test("elements that come, go or change are no other order", () => {
  const sidecar = { spec: { containers: [{ name: "sidecar", image: "s:1" }] } };
  const gone = { spec: { containers: [{ name: "agent", $patch: "delete" }] } };
  const changed = {
    spec: {
      containers: [
        { name: "log", image: "log:2" },
        { name: "new", image: "n:1" },
      ],
    },
  };
  expect([...orders(sidecar), ...orders(gone), ...orders(changed)]).toEqual([]);
});

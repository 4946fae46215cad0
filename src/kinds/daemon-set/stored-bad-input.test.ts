// Objects that never passed a webhook: whatever is stored, a decision is a plan. It says what is wrong, makes no pod that nobody asked for, and
// takes no longer than for others.
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { Plan } from "../../core/decision/plan.ts";
import { targetOf } from "../../core/decision/step.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { PaperCluster } from "../forecast/paper-cluster.ts";
import { objectAt } from "../schema/json-parts.ts";
import { createDaemonSetKind } from "./daemon-set-kind.ts";
import { aDaemonSet, daemonSetCases } from "./testing/cases.ts";
import { aNode, NOON_MS } from "./testing/set-on-paper.ts";

const fleet = [aNode("large", { size: "large", disk: "local" }), aNode("small", { size: "small", disk: "local" })];
/** What admission alone looks at: such a patch works, and one that was stored before a limit came may stay. */
const worksAnyway = /^(112 |132|133 constructor|a patch of more than|a patch with a typo|160|another selector)/;

function planOf(object: JsonObject): Plan {
  const cluster = new PaperCluster(fleet, { image: () => ({ is: "unasked" }), isOurLabel: () => false });
  const stored = { ...object, metadata: { ...objectAt(object, "metadata"), uid: "set-uid", generation: 1 } };
  const kind = createDaemonSetKind();
  return kind.observe(cluster, { ...objectIdentity(stored), object: stored }).decide(NOON_MS).plan;
}

function conditionsOf({ steps }: Plan): ReadonlyMap<Json | undefined, JsonObject> {
  const status = steps.flatMap((step) => (step.do === "status" ? [step.status] : []))[0] ?? {};
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  return new Map(conditions.map((one: JsonObject) => [one.type, one]));
}

const podsMade = ({ steps }: Plan) =>
  steps.filter((step) => step.do === "create" && targetOf(step).kind === "Pod").length;

const refusedRows = daemonSetCases().filter(
  ({ verdict, name, object }) =>
    verdict.is === "refused" && !worksAnyway.test(name) && object.apiVersion === "apps.kruise.io/v1beta1",
);

test.each(refusedRows.map((row) => [row.name, row] as const))(
  "what admission refuses is told: %s",
  (_name, { object }) => {
    const plan = planOf(object);
    const conditions = conditionsOf(plan);
    const isInvalid = conditions.get("Stalled")?.reason === "InvalidSpec";
    const isRejected = conditions.get("PatchesValid")?.reason === "PatchRejected";
    expect([isInvalid, isRejected]).toContain(true);
    // Nobody gets a pod that was not patched as it should be; nodes without the patch go on.
    expect(podsMade(plan)).toBe(isInvalid ? 0 : plan.held.some(({ node }) => node === "large") ? 1 : 2);
  },
);

describe("patches that no schema has seen", () => {
  const deep = (levels: number): Json => JSON.parse(`${'{"spec":'.repeat(levels)}1${"}".repeat(levels)}`);
  const selector = { matchLabels: { size: "large" } };
  const garbage: readonly (readonly [string, Json])[] = [
    ...([
      ["a number", 5],
      ["a text", "spec: {}"],
      ["null", null],
      ["a list", [1]],
      ["nested 5,000 deep", deep(5_000)],
    ] as const),
    ["nested as deep as a server stores", deep(9_980)],
    ["__proto__ at the root", JSON.parse('{"__proto__":{"polluted":true}}')],
    [
      "__proto__ in a container",
      JSON.parse('{"spec":{"containers":[{"name":"agent","__proto__":{"polluted":true}}]}}'),
    ],
    [
      "a list of a hundred thousand",
      { spec: { containers: Array.from({ length: 100_000 }, () => ({ name: "agent" })) } },
    ],
  ];
  const isPolluted = () => "polluted" in {};

  test.each(garbage)("%s", (_about, patch) => {
    const plan = planOf(aDaemonSet({ patches: [{ selector, patch }] }));
    const conditions = conditionsOf(plan);
    const isTold =
      conditions.get("Stalled")?.reason === "InvalidSpec" || conditions.get("PatchesValid")?.reason === "PatchRejected";
    const isHarmless = podsMade(plan) === fleet.length;
    expect(isTold || isHarmless).toBe(true);
    expect(isPolluted()).toBe(false);
  });

  test.each<[string, JsonObject]>([
    ["the whole spec", { spec: deep(5_000) }],
    ["the template", aDaemonSet({ template: deep(5_000) })],
    [
      "a volume of the template",
      aDaemonSet({
        template: {
          metadata: { labels: { app: "agent" } },
          spec: { containers: [{ name: "agent", image: "a:1" }], volumes: [{ name: "v", deep: deep(5_000) }] },
        },
      }),
    ],
    ["the status", { ...aDaemonSet({}), status: { conditions: deep(5_000) } }],
    [
      "an annotation map",
      { ...aDaemonSet({}), metadata: { name: "agent", namespace: "default", annotations: deep(5_000) } },
    ],
  ])("%s may be nested 5,000 deep", (_about, object) => {
    expect(() => planOf(object)).not.toThrow();
  });

  test("a template nested too deep is told by its depth, and nobody gets a pod of it", () => {
    const template = { metadata: { labels: { app: "agent" } }, spec: { containers: [], unknown: deep(100) } };
    const plan = planOf(aDaemonSet({ template }));
    const { reason, message } = conditionsOf(plan).get("Stalled") ?? {};
    expect([reason, message, podsMade(plan)]).toEqual([
      "InvalidSpec",
      "spec.template: nests deeper than 64 levels; no pod template does",
      0,
    ]);
  });
});

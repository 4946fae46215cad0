// Laws of decisions about a set, over random fleets and edits: what is performed is not asked for again, and the order of nodes is irrelevant.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { aNode, image, rolling, SetOnPaper } from "./testing/set-on-paper.ts";

const sizes = ["small", "large", "huge"];
const patchFor = (size: string): JsonObject => ({
  selector: { matchLabels: { size } },
  patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value: size }] }] } },
});
const fleet = fc
  .array(fc.constantFrom(...sizes), { maxLength: 6 })
  .map((all) => all.map((size, index) => aNode(`n${index}`, { size })));
/** Every field is named, since an edit is a merge. */
const whole = (fields: JsonObject) =>
  rolling({ rollingUpdateType: "Standard", maxUnavailable: 0, maxSurge: 0, partition: 0, ...fields });
const strategy = fc.constantFrom<JsonObject>(
  ...[whole({ maxUnavailable: 1 }), whole({ maxUnavailable: "50%", partition: 1 }), whole({ maxSurge: 2 })],
  ...[{ updateStrategy: { type: "OnDelete" } }, whole({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 })],
);
const change = fc.oneof(
  fc.constantFrom("1", "2").map((tag) => image(tag)),
  fc.subarray(sizes).map((some): JsonObject => ({ patches: some.map(patchFor) })),
  strategy,
);
const RUNS = { numRuns: 60 };

test("a plan that was performed leaves nothing to do, whatever was edited on the way", () => {
  fc.assert(
    fc.property(fleet, strategy, fc.array(change, { maxLength: 3 }), (nodes, spec, changes) => {
      const set = new SetOnPaper({ ...spec, patches: sizes.map(patchFor) }, nodes).settle();
      for (const each of changes) {
        set.edit(each);
        set.look();
      }
      set.settle();
      expect(set.decide().steps).toEqual([]);
      expect(set.pods.map(({ node }) => node).sort()).toEqual(set.cluster.nodes.map(({ name }) => name));
    }),
    RUNS,
  );
});

test("the same fleet in another order gives the same plan", () => {
  fc.assert(
    fc.property(fleet, strategy, change, (nodes, spec, edited) => {
      const planOf = (ordered: readonly JsonObject[]) => {
        const set = new SetOnPaper(spec, ordered).settle();
        set.edit(edited);
        return set.decide();
      };
      // UIDs on paper follow the order of making, so only who is written to is compared.
      const told = (plan: ReturnType<typeof planOf>) =>
        plan.steps.map((step) => JSON.stringify(step).replace(/"(uid|resourceVersion)":"paper-\d+"/g, ""));
      expect(told(planOf(nodes.toReversed()))).toEqual(told(planOf(nodes)));
    }),
    RUNS,
  );
});

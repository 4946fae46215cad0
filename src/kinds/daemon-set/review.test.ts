import { describe, expect, test } from "vitest";
import type { Plan } from "../../core/decision/plan.ts";
import type { Step } from "../../core/decision/step.ts";
import { stepId } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Fate, Review } from "../kind.ts";
import { reviewPass } from "./review.ts";
import { aNode, image, nodes, rolling, running, SetOnPaper } from "./testing/set-on-paper.ts";

const patch: JsonObject = {
  selector: { matchLabels: { size: "large" } },
  patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value: "2Ti" }] }] } },
};
const large = ["a", "b"].map((name) => aNode(name, { size: "large" }));

function review(set: SetOnPaper, plan: Plan, fates: (step: Step) => Fate = () => ({ did: "done" })): Review {
  return reviewPass(set.stored, { plan, fateOf: fates });
}

const told = ({ events }: Review) => events.map(({ severity, reason, message }) => `${severity} ${reason}: ${message}`);

describe("a pass is told by one event per cause", () => {
  test("pods that were created, the first of them by name", () => {
    const set = new SetOnPaper({}, nodes(5));
    const plan = set.decide();
    const names = plan.steps.flatMap((step) =>
      step.do === "create" && step.object.kind === "Pod" ? [step.object] : [],
    );
    const [first, second, third] = names.map(({ metadata }) => metadata.name);
    expect(told(review(set, plan))).toEqual([
      `Normal SuccessfulCreate: Created pod: ${first}, ${second}, ${third} and 2 more`,
    ]);
  });

  test("pods that were not, with the server's words and apart from those that were", () => {
    const set = new SetOnPaper({}, nodes(3));
    const plan = set.decide();
    const [lucky] = plan.steps.filter((step) => step.do === "create" && step.object.kind === "Pod");
    const fates = (step: Step): Fate =>
      step === lucky || step.do !== "create" ? { did: "done" } : { did: "refused", because: "exceeded quota" };
    expect(told(review(set, plan, fates))).toEqual([
      expect.stringMatching(/^Normal SuccessfulCreate: Created pod: [^,]+$/),
      "Warning FailedCreate: Error creating: exceeded quota (and 1 more)",
    ]);
  });

  test("deletions of an update, done and failed", () => {
    const set = running(rolling({ maxUnavailable: 2 }), nodes(4));
    set.edit(image("2"));
    const plan = set.decide();
    const [first] = plan.steps.filter(({ do: what }) => what === "delete");
    const fates = (step: Step): Fate => (step === first ? { did: "failed", because: "no answer" } : { did: "done" });
    expect(told(review(set, plan, fates))).toEqual([
      expect.stringMatching(/^Normal SuccessfulDelete: Deleted pod: [^,]+$/),
      "Warning FailedDelete: Error deleting: no answer",
    ]);
  });

  test("updates in place, and nothing of the writes that belong to them", () => {
    const set = running(rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 }), nodes(3));
    set.edit(image("2"));
    const plan = set.decide();
    expect(told(review(set, plan))).toEqual([
      expect.stringMatching(/^Normal SuccessfulUpdatePodInPlace: Updated pod in place: [^,]+, [^,]+$/),
    ]);
    const isUpdate = (step: Step) => stepId(step).startsWith("patch v1 Pod");
    const fates = (step: Step): Fate => (isUpdate(step) ? { did: "failed", because: "conflict" } : { did: "done" });
    expect(told(review(set, plan, fates))).toEqual([
      "Warning FailedUpdatePodInPlace: Error updating in place: conflict (and 1 more)",
    ]);
  });

  test("nothing that was not tried, and nothing of labels that were put right", () => {
    const set = running({ patches: [patch] }, [aNode("plain"), ...large]);
    set.edit({ patches: [] });
    expect(told(review(set, set.decide(), () => ({ did: "unsent" })))).toEqual([]);
    const relabelled = set.decide().steps.filter((step) => step.do === "patch");
    expect(relabelled.length).toBeGreaterThan(0);
    expect(told(review(set, { steps: relabelled, held: [] }))).toEqual([]);
  });
});

describe("pods with patches are counted", () => {
  test("when they are created, and not those without", () => {
    const set = new SetOnPaper({ patches: [patch] }, [...large, aNode("plain")]);
    expect(review(set, set.decide()).tallies).toEqual([{ of: "applied", result: "created", count: 2 }]);
  });

  test("when they are updated in place", () => {
    const strategy = rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 3 });
    const set = running({ patches: [patch], ...strategy }, [...large, aNode("plain")]);
    set.edit(image("2"));
    expect(review(set, set.decide()).tallies).toEqual([{ of: "applied", result: "updated", count: 2 }]);
  });

  test("as errors when the server refuses them, and never when they are deleted", () => {
    const set = new SetOnPaper({ patches: [patch] }, large);
    const refused = review(set, set.decide(), () => ({ did: "refused", because: "no" }));
    expect(refused.tallies).toEqual([{ of: "errors", result: "refused", count: 2 }]);
    const leaving = running({ patches: [patch], ...rolling({ maxUnavailable: 2 }) }, large);
    leaving.edit({ template: { spec: { hostNetwork: true } } });
    expect(review(leaving, leaving.decide()).tallies).toEqual([]);
  });

  test("nodes whose patches cannot be applied are named, with a pod or without", () => {
    const set = running({ patches: [patch] }, [...large, aNode("plain")]);
    const bad = { ...patch, patch: { spec: { containers: [{ name: "agent", $patch: "explode" }] } } };
    set.edit({ patches: [bad] });
    set.cluster.put(aNode("new", { size: "large" }));
    expect(review(set, set.decide()).refused).toEqual(["a", "b", "new"]);
  });
});

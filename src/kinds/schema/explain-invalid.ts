// What a node gets from a stored object that breaks a rule: nothing new, because of the fields that have to be corrected.
import type { Problem } from "../../core/decision/problem.ts";
import type { Snapshot } from "../../core/decision/snapshot.ts";
import type { Explanation, Observation } from "../kind.ts";

/** Explains every node of the snapshot alike; the trail holds all problems of the object. */
export function explainInvalid({ nodes }: Snapshot, problems: readonly Problem[]): Observation["explain"] {
  const trail = problems.map(({ path, message }) => ({ rule: path, matched: false, because: message }));
  const [first] = trail;
  const because = first === undefined ? "it breaks a rule" : `${first.rule}: ${first.because}`;
  return (name): Explanation | undefined =>
    nodes.some((node) => node.name === name)
      ? { ...{ node: name, reason: "InvalidSpec", because, trail }, ...{ gets: "", runs: "", facts: {} } }
      : undefined;
}

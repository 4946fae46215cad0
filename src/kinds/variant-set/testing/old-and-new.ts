// What most stories about sets speak of: nodes on either side of a kernel line, the steps of a plan, the conditions. For tests.
import type { Plan } from "../../../core/decision/plan.ts";
import { stepId } from "../../../core/decision/step.ts";
import { aNodeObject, type PaperSet } from "./paper-set.ts";

export const NEW = "5.14.0-1";
export const OLD = "4.18.0-1";

export const image = (tag: string) => `registry.example.com/agent:${tag}`;

/** Nodes with the new kernel. */
export const nodes = (...names: readonly string[]) => names.map((name) => aNodeObject(name, { kernel: NEW }));

/** The steps of these kinds, or all of them, by what they do to what. */
export const ids = ({ steps }: Plan, ...kinds: readonly string[]) =>
  steps.filter((step) => kinds.length === 0 || kinds.includes(step.do)).map(stepId);

/** The conditions of the set by type: status and reason. */
export const conditions = (world: PaperSet) =>
  Object.fromEntries(
    Object(world.status.conditions).map((one: { type: string; status: string; reason: string }) => [
      one.type,
      `${one.status} ${one.reason}`,
    ]),
  );

// Controller managers of other projects, which play along when somebody names their programs. Nothing of them is in this repository.
import { setTimeout as pause } from "node:timers/promises";
import type { Contestant } from "./contestant.ts";
import { processContestant } from "./process-contestant.ts";

export type GuestWish = {
  readonly name: string;
  /** The environment variable with the program's path; flags besides the kubeconfig stand in `<variable>_ARGS`. */
  readonly variable: string;
};

/** They say in different ways that they are ready; after this they are. */
const START_MS = 15_000;

/** The manager, or what to set to see it play. */
export function guest({ name, variable }: GuestWish): Contestant | { readonly missing: string } {
  const program = process.env[variable];
  if (program === undefined) return { missing: `set ${variable} to the path of its manager` };
  const args = (process.env[`${variable}_ARGS`] ?? "").split(" ").filter((each) => each !== "");
  return processContestant({
    ...{ name, user: `bench-${variable.toLowerCase().replaceAll("_", "-")}`, kind: "own" },
    call: async (_, kubeconfig) => ({ command: program, args: [`--kubeconfig=${kubeconfig}`, ...args] }),
    ready: () => pause(START_MS),
  });
}

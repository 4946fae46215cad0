// Controller managers of other projects, which play along when somebody names their programs. Nothing of them is in this repository.
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { RealPlane } from "../real-plane.ts";
import { total, UPKEEP } from "../request-log.ts";
import type { Contestant } from "./contestant.ts";
import { processContestant } from "./process-contestant.ts";

export type GuestWish = {
  readonly name: string;
  /**
   * The environment variable with the program's path. Flags besides the kubeconfig stand in `<variable>_ARGS`; `<variable>_INSTALL` names a
   * file of manifests that have to be there while it runs, without the definitions that all contestants share.
   */
  readonly variable: string;
};

/** They say in different ways that they are ready; after this they have begun, and only their writes tell whether they are done. */
const START_MS = 30_000;
/** Some write an object per node before they rest; who has asked for nothing this long is ready for the story. */
const QUIET_MS = 10_000;
const QUIET_MS_MAX = 600_000;
const INSTALL_MS_MAX = 180_000;

/** The manager, or what to set to see it play. */
export function guest({ name, variable }: GuestWish): Contestant | { readonly missing: string } {
  const program = process.env[variable];
  if (program === undefined) return { missing: `set ${variable} to the path of its manager` };
  const args = (process.env[`${variable}_ARGS`] ?? "").split(" ").filter((each) => each !== "");
  const user = `bench-${variable.toLowerCase().replaceAll("_", "-")}`;
  const contestant = processContestant({
    ...{ name, user, kind: "own" },
    call: async (_, kubeconfig) => ({ command: program, args: [`--kubeconfig=${kubeconfig}`, ...args] }),
    ready: (plane) => untilQuiet(name, user, plane),
  });
  const manifests = process.env[`${variable}_INSTALL`];
  if (manifests === undefined) return contestant;
  return { ...contestant, start: (plane) => startInstalled(contestant, plane, manifests) };
}

/** Webhooks that nobody answers any more would stop everybody who plays next, so what is installed goes with the manager. */
async function startInstalled(contestant: Contestant, plane: RealPlane, manifests: string) {
  const remove = () => kubectl(plane, ["delete", "--ignore-not-found", "-f", manifests]);
  try {
    await kubectl(plane, ["apply", "--server-side", "-f", manifests]);
    const playing = await contestant.start(plane);
    const stop = async () => {
      await playing.stop();
      await remove();
    };
    return { ...playing, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function kubectl({ binaries, cluster }: RealPlane, args: readonly string[]): Promise<void> {
  const program = binaries.get("kubectl") ?? "kubectl";
  await promisify(execFile)(program, ["--kubeconfig", cluster.kubeconfigFile(), ...args], { timeout: INSTALL_MS_MAX });
}

async function untilQuiet(name: string, user: string, { requests }: RealPlane): Promise<void> {
  const endMs = performance.now() + QUIET_MS_MAX;
  await pause(START_MS);
  do {
    if (performance.now() > endMs) throw new Error(`${name} does not come to rest`);
    requests.since(user);
    await pause(QUIET_MS);
  } while (total(requests.since(user), UPKEEP) > 0);
}

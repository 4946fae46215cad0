// How a pod's containers behave on a simulated node: how long they take to start, whether they become ready, how they
// end. The pod's annotations and hooks say it; a test may overrule them.
import type { PodView } from "./pod/pod-view.ts";

export type Behaviour = {
  /** Creating the container once its image is there. */
  readonly startMs: number;
  /** The hook after the start: until it is over the container counts as not started. */
  readonly postStartMs: number;
  /** From the start of a container until its readiness probe succeeds. */
  readonly readyMs: number;
  /** The hook before SIGTERM. It and the stop together never take longer than the grace period. */
  readonly preStopMs: number;
  /** From SIGTERM until the containers have ended. */
  readonly stopMs: number;
  /** Containers that end by themselves; undefined: they run until they are stopped. */
  readonly exit: { readonly afterMs: number; readonly code: number; readonly message: string } | undefined;
  /** "pull": the image cannot be had. "unready": the readiness probe never succeeds. */
  readonly fail: "pull" | "unready" | undefined;
};

export const ANNOTATION_PREFIX = "kubelet.farrier.dev/";

const START_MS = 200;
const STOP_MS = 200;
const RUN_TO_COMPLETION_MS = 200;

type Wish = Pick<PodView, "annotations" | "restartPolicy" | "hooks">;

/** What a pod does that asks for nothing special: daemons run for ever, tasks succeed after a moment. */
function defaultBehaviour({ restartPolicy, hooks }: Wish): Behaviour {
  const runsForEver = restartPolicy === "Always";
  return {
    startMs: START_MS,
    readyMs: 0,
    stopMs: STOP_MS,
    ...hooks,
    exit: runsForEver ? undefined : { afterMs: RUN_TO_COMPLETION_MS, code: 0, message: "" },
    fail: undefined,
  };
}

/** The behaviour that a pod's annotations ask for; what they leave out is as its hooks say, or as by default. */
export function parseBehaviour(pod: Wish): Behaviour {
  const byDefault = defaultBehaviour(pod);
  const text = (name: string): string | undefined => pod.annotations[ANNOTATION_PREFIX + name];
  const count = (name: string, otherwise: number): number => parseCount(name, text(name)) ?? otherwise;
  const endsByItself = byDefault.exit !== undefined || text("run-ms") !== undefined || text("exit-code") !== undefined;
  const fail = text("fail");
  if (fail !== undefined && fail !== "pull" && fail !== "unready") {
    throw new Error(`${ANNOTATION_PREFIX}fail is "${fail}"; give "pull" or "unready"`);
  }
  return {
    startMs: count("start-ms", byDefault.startMs),
    postStartMs: count("post-start-ms", byDefault.postStartMs),
    preStopMs: count("pre-stop-ms", byDefault.preStopMs),
    readyMs: count("ready-ms", byDefault.readyMs),
    stopMs: count("stop-ms", byDefault.stopMs),
    exit: endsByItself
      ? { afterMs: count("run-ms", RUN_TO_COMPLETION_MS), code: count("exit-code", 0), message: text("message") ?? "" }
      : undefined,
    fail,
  };
}

function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${ANNOTATION_PREFIX}${name} is "${text}"; give a whole number`);
  return Number(text);
}

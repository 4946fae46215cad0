// The controller manager of Kubernetes as a contestant: it plays in place of the plane's own, with the same flags and all controllers, the
// DaemonSet controller among them.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../e2e/control-plane/eventually.ts";
import { freePorts } from "../../../e2e/control-plane/free-ports.ts";
import { call as get } from "../../../e2e/control-plane/https-call.ts";
import { CONTROLLERS, type RealPlane } from "../real-plane.ts";
import type { Contestant } from "./contestant.ts";
import { processContestant } from "./process-contestant.ts";

export const DAEMON_SET_CONTROLLER = "daemonset-controller";

const READY = { deadlineMs: 180_000, everyMs: 100 };
/** Its caches are filled, and its looks at a fleet that is new to it are over, after it says that it is healthy. */
const FILL_MS = 10_000;
const OWN_FLAGS: readonly string[] = [
  "--kubeconfig",
  "--controllers",
  "--secure-port",
  "--kube-api-qps",
  "--kube-api-burst",
];

/** The native manager with these client limits, or with its own. */
export function nativeControllers(name: string, qps?: number): Contestant {
  let port = 0;
  const program = processContestant({
    ...{ name, user: "bench-native", kind: "native" },
    async call({ binaries, cluster }, kubeconfig) {
      [port = 0] = await freePorts(1);
      const limits = qps === undefined ? [] : [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps * 2}`];
      const args = [
        ...cluster.part(CONTROLLERS).args.filter((flag) => !OWN_FLAGS.some((own) => flag.startsWith(`${own}=`))),
        ...[`--kubeconfig=${kubeconfig}`, "--controllers=*", `--secure-port=${port}`, ...limits],
      ];
      return { command: binaries.get(CONTROLLERS) ?? CONTROLLERS, args };
    },
    async ready({ cluster }) {
      const { ca } = cluster.address;
      const healthy = async () => (await get(`https://127.0.0.1:${port}/healthz`, { ca })).status === 200 || undefined;
      await eventually("the native manager is healthy", healthy, READY);
      await pause(FILL_MS);
    },
  });
  return { ...program, start: (plane) => startInstead(program, plane) };
}

/** Two managers would do everything twice; the plane's own comes back when the contestant is gone. */
async function startInstead(program: Contestant, plane: RealPlane) {
  const own = plane.cluster.part(CONTROLLERS);
  await own.stop();
  try {
    const playing = await program.start(plane);
    const stop = async () => {
      await playing.stop();
      await own.start();
    };
    return { ...playing, stop };
  } catch (error) {
    await own.start();
    throw error;
  }
}

// The DaemonSet controller of Kubernetes as a contestant: a second controller manager that runs nothing else.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../e2e/control-plane/eventually.ts";
import { freePorts } from "../../e2e/control-plane/free-ports.ts";
import { call as get } from "../../e2e/control-plane/https-call.ts";
import type { Contestant } from "./contestant.ts";
import { processContestant } from "./process-contestant.ts";

export const DAEMON_SET_CONTROLLER = "daemonset-controller";

const READY = { deadlineMs: 180_000, everyMs: 100 };
/** Its caches are filled after it says that it is healthy. */
const FILL_MS = 2_000;

/** The native controller with these client limits, or with its own. */
export function nativeController(name: string, qps?: number): Contestant {
  let port = 0;
  return processContestant({
    ...{ name, user: "bench-native", kind: "native" },
    async call({ binaries }, kubeconfig) {
      [port = 0] = await freePorts(1);
      const limits = qps === undefined ? [] : [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps * 2}`];
      const args = [
        ...[`--kubeconfig=${kubeconfig}`, `--controllers=${DAEMON_SET_CONTROLLER}`, "--leader-elect=false"],
        ...["--bind-address=127.0.0.1", `--secure-port=${port}`, ...limits],
      ];
      return { command: binaries.get("kube-controller-manager") ?? "kube-controller-manager", args };
    },
    async ready() {
      const healthy = async () => (await get(`https://127.0.0.1:${port}/healthz`, {})).status === 200 || undefined;
      await eventually("the native controller is healthy", healthy, READY);
      await pause(FILL_MS);
    },
  });
}

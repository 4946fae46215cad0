// The operator as a contestant: the product in a process of its own, with its lease, its probes and its log.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../../e2e/control-plane/eventually.ts";
import { freePorts } from "../../../e2e/control-plane/free-ports.ts";
import { buildProduct, PRODUCT_FLAGS, type ProductForm } from "../product.ts";
import type { Contestant } from "./contestant.ts";
import { processContestant } from "./process-contestant.ts";

export type FarrierOptions = {
  readonly name?: string;
  readonly form?: ProductForm;
  readonly settings?: readonly string[];
  /** Flags of Node besides those of the product. */
  readonly flags?: readonly string[];
};

const READY = { deadlineMs: 180_000, everyMs: 100 };
/** Who leads first catches up with its caches, which takes a second where nothing happens: that is part of its start. */
const CATCH_UP_MS = 3_000;

/** The operator with these settings besides the defaults. */
export function farrier(options: FarrierOptions = {}): Contestant {
  const { name = "Farrier", form = "as shipped", settings = [], flags = [] } = options;
  let httpPort = 0;
  return processContestant({
    ...{ name, user: "bench-farrier", kind: "own" },
    async call(_, kubeconfig) {
      const [port = 0] = await freePorts(1);
      httpPort = port;
      const run = ["run", "--kubeconfig", kubeconfig, "--http-port", String(port), ...settings];
      return { command: process.execPath, args: [...PRODUCT_FLAGS, ...flags, await buildProduct(form), ...run] };
    },
    async ready() {
      const isReady = async () => {
        const { status } = await fetch(`http://127.0.0.1:${httpPort}/readyz`);
        const metrics = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
        return (status === 200 && /^farrier_leader\S* 1$/m.test(metrics)) || undefined;
      };
      await eventually("the operator leads", isReady, READY);
      await pause(CATCH_UP_MS);
    },
  });
}

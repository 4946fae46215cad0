// The oracle as a contestant: a child that is told its writes before an act and begins when the act does.
import { once } from "node:events";
import { join } from "node:path";
import { PRODUCT_FLAGS } from "../product.ts";
import { ask, startChild } from "./child.ts";
import type { Contestant } from "./contestant.ts";

export const oracle: Contestant = {
  name: "oracle",
  user: "bench-oracle",
  async start({ cluster, admin, observer }) {
    const child = startChild(join(import.meta.dirname, "oracle-program.ts"), PRODUCT_FLAGS);
    await ask(child, { is: "job", ...cluster.address, token: cluster.token(oracle.user) });
    return {
      pid: child.pid ?? 0,
      async prepare(act) {
        await ask(child, { is: "order", ...(await act.answer(admin.client, observer)) });
        return async () => void (await ask(child, { is: "go" }));
      },
      async stop() {
        if (child.exitCode !== null) return;
        child.disconnect();
        await once(child, "exit");
      },
    };
  },
};

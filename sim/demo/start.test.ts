import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createCache } from "../../src/kube/cache/cache.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { readPodLog } from "../../src/kube/client/pod-log.ts";
import { kubeconfigConfig } from "../../src/kube/config/config-kubeconfig.ts";
import { type KubeObject, namedKey, type Resource } from "../../src/kube/resource.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "../../src/runtime/node/node-files.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import { NODES, PODS } from "../nodes/api-shapes.ts";

type VariantSet = KubeObject & {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
};
const VARIANT_SETS: Resource<VariantSet> = {
  ...{ group: "farrier.dev", version: "v1alpha1", plural: "variantsets", kind: "VariantSet", namespaced: true },
};
type Webhooks = KubeObject & { readonly webhooks: readonly object[] };
const WEBHOOKS: Resource<Webhooks> = {
  ...{ group: "admissionregistration.k8s.io", version: "v1", plural: "validatingwebhookconfigurations" },
  ...{ kind: "ValidatingWebhookConfiguration", namespaced: false },
};
const CONFIG_MAPS: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };

const START = join(import.meta.dirname, "..", "..", "tools", "start.ts");
const EXAMPLE = join(import.meta.dirname, "..", "..", "examples", "variant-set.yaml");
/** Starts what follows as npm does: marked, and without telling it of an end of its own. */
const LIKE_NPM = ["sh", "-c", 'npm_lifecycle_event=start "$0" "$@" & wait'];
/** A busy machine may take long; nothing here waits for time to pass. */
const PATIENCE_MS = 120_000;
const clock = nodeClock();
const rand = nodeRand();

/** The demo as a process of its own, with what it said. */
class DemoProcess {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  out = "";
  err = "";
  readonly #listeners = new Set<() => void>();

  constructor(folder: string, args: readonly string[] = [], before: readonly string[] = []) {
    // The npm that runs this test is not the one that starts the demo.
    const { npm_lifecycle_event: _, ...inherited } = process.env;
    const [program = "", ...rest] = [...before, process.execPath, START, ...args];
    const env = { ...inherited, NO_COLOR: "" };
    this.child = spawn(program, rest, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stdout?.on("data", (bytes) => this.#hear(() => (this.out += bytes)));
    this.child.stderr?.on("data", (bytes) => this.#hear(() => (this.err += bytes)));
    this.exit = once(this.child, "close").then(([code]) => {
      this.#hear(() => undefined);
      return code;
    });
  }

  /** Resolves once it has said this; rejects when it has ended without. */
  says(words: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (`${this.out}${this.err}`.includes(words)) resolve();
        else if (this.child.exitCode !== null) reject(new Error(`it ended with: ${this.out}${this.err}`));
      };
      this.#listeners.add(look);
      look();
    });
  }

  #hear(note: () => void): void {
    note();
    for (const listener of this.#listeners) listener();
  }
}

async function connectTo(kubeconfig: string) {
  const parts = { files: nodeFiles(), programs: nodePrograms(clock), clock, env: {} };
  const { server, credentials } = await kubeconfigConfig(parts, { kubeconfig });
  const transport = createNodeTransport({ server, credentials, clock });
  return { server, transport, client: createClient({ transport, clock, rand, fieldManager: "test" }) };
}

const folders: string[] = [];
function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "farrier-demo-"));
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe("npm start", { timeout: PATIENCE_MS }, () => {
  let folder: string;
  let demo: DemoProcess;
  beforeAll(async () => {
    folder = aFolder();
    demo = new DemoProcess(folder, ["--quiet"]);
    await demo.says("Ctrl-C stops everything");
  }, PATIENCE_MS);
  afterAll(() => demo.child.kill("SIGKILL"));

  test("has 200 ready nodes of five kinds when it says so", async () => {
    const { transport, client } = await connectTo(join(folder, "farrier.kubeconfig"));
    const { items } = await client.list(NODES);
    transport.close();
    const ready = items.filter(({ status }) =>
      status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
    );
    expect(ready.length).toBe(200);
    expect(new Set(items.map(({ status }) => status?.nodeInfo?.architecture)).size).toBe(2);
    expect(items.filter(({ status }) => status?.allocatable?.["nvidia.com/gpu"] === "8").length).toBe(64);
    expect(demo.out).toMatch(/nodes {8}200 ready in .* 72 rack, 24 store, 64 gpu, 28 web, 12 edge/);
    expect(demo.out).toContain("every token may do everything");
  });

  test("fits the nodes with the VariantSet that it invites to apply, which no webhook refuses", async () => {
    const { transport, client } = await connectTo(join(folder, "farrier.kubeconfig"));
    const end = new AbortController();
    const cache = createCache({
      ...{ transport, clock, rand, resource: VARIANT_SETS, indexes: {} },
      project: ({ status }) => status?.conditions?.some((each) => each.type === "Ready" && each.status === "True"),
    });
    const isRolledOut = new Promise<void>((resolve) => {
      cache.changes(({ now }) => {
        if (now === true) resolve();
      });
    });
    const running = cache.run(end.signal);
    const manifest = parse(readFileSync(EXAMPLE, "utf8"));
    await client.apply(VARIANT_SETS, manifest);
    await isRolledOut;
    const [pod] = (await client.list(PODS, { namespace: "default", pageSize: 1 })).items;
    expect(await readPodLog(client, namedKey(pod?.metadata.name ?? "", "default"))).toContain("This pod is simulated");
    end.abort();
    await running;
    transport.close();
  });

  test("asks the webhooks that it is told of, over HTTPS", async () => {
    const { transport, client } = await connectTo(join(folder, "farrier.kubeconfig"));
    const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
    const clientConfig = { url: "https://127.0.0.1:1/nobody" };
    const webhook = {
      name: "a.example.dev",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      rules,
      clientConfig,
    };
    const configuration = { apiVersion: "admissionregistration.k8s.io/v1", kind: WEBHOOKS.kind, webhooks: [webhook] };
    await client.create(WEBHOOKS, { ...configuration, metadata: { name: "a" } });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
    const written = client.create(CONFIG_MAPS, map);
    await expect(written).rejects.toThrow('Post "https://127.0.0.1:1/nobody": connect ECONNREFUSED');
    transport.close();
  });

  test("a second one does not take the kubeconfig of the first", async () => {
    const second = new DemoProcess(folder);
    expect(await second.exit).toBe(1);
    expect(second.err).toMatch(/another demo runs at https:\/\/127\.0\.0\.1:\d+ and has written .*farrier\.kubeconfig/);
  });

  test("a port that is taken is named, with what to do", async () => {
    const { server, transport } = await connectTo(join(folder, "farrier.kubeconfig"));
    transport.close();
    const { port } = new URL(server);
    const other = aFolder();
    const second = new DemoProcess(other, ["--port", port]);
    expect(await second.exit).toBe(1);
    expect(second.err).toContain(`npm start: port ${port} on 127.0.0.1 is taken by another program`);
    expect(readdirSync(other)).toEqual([]);
  });

  test("Ctrl-C ends it with nothing left but the kubeconfig", async () => {
    demo.child.kill("SIGINT");
    expect([await demo.exit, demo.err]).toEqual([0, "stopping …\n"]);
    expect(readdirSync(folder)).toEqual(["farrier.kubeconfig"]);
    const { transport, client } = await connectTo(join(folder, "farrier.kubeconfig"));
    await expect(client.list(NODES)).rejects.toThrow("ECONNREFUSED");
    transport.close();
  });
});

describe.concurrent("npm start that does not get far", { timeout: PATIENCE_MS }, () => {
  test("Ctrl-C during the start leaves nothing at all", async () => {
    const folder = aFolder();
    const demo = new DemoProcess(folder, ["--nodes", "5000"]);
    await demo.says("starting 5000 nodes");
    demo.child.kill("SIGINT");
    expect([await demo.exit, demo.out]).toEqual([0, ""]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("Ctrl-C in the middle of the story leaves only the kubeconfig", async () => {
    const folder = aFolder();
    const demo = new DemoProcess(folder);
    await demo.says("KernelUnmapped: kernel 6.8.0-45-generic does not match the only mapping");
    expect(demo.out).toContain("Act 2 of 6");
    demo.child.kill("SIGINT");
    expect([await demo.exit, demo.err]).toEqual([0, "stopping …\n"]);
    expect(readdirSync(folder)).toEqual(["farrier.kubeconfig"]);
  });

  test("a killed npm takes the demo with it", async () => {
    const demo = new DemoProcess(aFolder(), ["--fleet", "small-5"], LIKE_NPM);
    await demo.says("Ctrl-C stops everything");
    demo.child.kill("SIGKILL");
    await demo.exit;
    expect(demo.err).toBe("stopping …\n");
  });

  test.each([
    [["--nodes", "many"], "give a whole number from 0 to 5000"],
    [["--fleet", "nowhere"], 'fleet "nowhere" cannot be read'],
    [["--kubeconfig", "no/such/folder"], "there is no such folder"],
    [["--step", "--quiet"], "--step needs the story"],
    [["--colour"], "unknown option '--colour'"],
  ])("%j is refused with the remedy", async (args, message) => {
    const folder = aFolder();
    const demo = new DemoProcess(folder, args);
    expect(await demo.exit).toBe(1);
    expect(demo.err).toContain(message);
    expect(readdirSync(folder)).toEqual([]);
  });
});

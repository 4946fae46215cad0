// A story on the embedded control plane, in virtual time: the operator, Kubernetes' own controllers and the kubelets of a large fleet in one
// process. Objects are written, the fleet settles, and every request of the operator has been counted.
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { startControllers } from "../../sim/controllers/start-controllers.ts";
import { heartbeatFor } from "../../sim/nodes/heartbeat.ts";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import { quietLog } from "../../sim/nodes/quiet-log.ts";
import { startNodes } from "../../sim/nodes/start-nodes.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { createOperator } from "../../src/controllers/loop/create-operator.ts";
import { type ImageKnowledge, noImageKnowledge } from "../../src/controllers/registry/image-knowledge.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import type { HttpRequest, Transport } from "../../src/kube/transport.ts";
import type { RequestCounts } from "../real/request-log.ts";
import { type Body, definitions } from "../real/resources.ts";

export type EmbeddedStory = {
  readonly machines: readonly MachineSpec[];
  readonly kind: Kind;
  readonly definition: KubeObject;
  readonly resource: Resource<Body>;
  readonly objects: readonly Body[];
};

const CONTROLLERS = ["daemon-set", "scheduler", "node-lifecycle"] as const;
/** Until all nodes are there and open to pods. */
const UP_MS = 10_000;
const LOOK_MS = 1_000;
const STORY_MS_MAX = 1_800_000;
/** What is told with some delay, such as events, counts too. */
const AFTER_MS = 30_000;

/** Whoever asks is told that the image is there. */
const everyImage: ImageKnowledge = {
  ...noImageKnowledge,
  state: () => ({ is: "present", digest: `sha256:${"0".repeat(64)}`, askedMs: 0 }),
};

/** Plays the story until every object says that it is ready, and says how often what was asked for; throws when that takes too long. */
export async function playStory({
  machines,
  kind,
  definition,
  resource,
  objects,
}: EmbeddedStory): Promise<RequestCounts> {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn: builtInKinds() });
  const transport = server.transport();
  const client = createClient({ transport, clock, rand: seededRand(2), fieldManager: "user" });
  const during = async <T>(work: Promise<T>): Promise<T> => {
    await clock.elapse(1);
    return work;
  };
  await during(client.create(definitions, definition));
  const { graceSeconds: nodeGraceSeconds } = heartbeatFor(machines.length);
  const controllers = startControllers({ transport, clock, rand: seededRand(3), names: CONTROLLERS, nodeGraceSeconds });
  const nodes = startNodes({ transport, clock, rand: seededRand(4), fleet: machines });
  await clock.elapse(UP_MS);
  await nodes.ready;
  const counts = new Map<string, number>();
  const ports = { identity: "bench", clock, rand: seededRand(5), log: quietLog, transport: counted(transport, counts) };
  const operator = createOperator(ports, { kinds: [kind], program: "farrier", images: everyImage });
  const stop = new AbortController();
  const ended = operator.run(stop.signal);
  for (const object of objects) await during(client.create(resource, object));
  for (let look = 0; ; look++) {
    if (look * LOOK_MS > STORY_MS_MAX) throw new Error(`the fleet is not ready after ${STORY_MS_MAX} ms`);
    await clock.elapse(LOOK_MS);
    const { items } = await during(client.list(resource));
    if (items.every(isReady)) break;
  }
  await clock.elapse(AFTER_MS);
  stop.abort(new Error("the story is over"));
  await Promise.all([ended, nodes.stop(), controllers.stop(), clock.elapse(LOOK_MS)]);
  return counts;
}

/** The transport, with everything that is sent through it noted. */
function counted(inner: Transport, counts: Map<string, number>): Transport {
  const note = ({ method, path }: Pick<HttpRequest, "method" | "path">) => {
    const what = `${method} ${resourceIn(path)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  return {
    request: (request, ...rest) => {
      note(request);
      return inner.request(request, ...rest);
    },
    stream: (request, ...rest) => {
      note(request);
      return inner.stream(request, ...rest);
    },
  };
}

/** `/apis/apps/v1/namespaces/default/daemonsets/a?…` is `daemonsets`, and a subresource is told. */
function resourceIn(path: string): string {
  const [plain = ""] = path.split("?");
  const parts = plain.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\//, "").split("/");
  const [resource = "", , subresource] = parts[0] === "namespaces" && parts.length > 2 ? parts.slice(2) : parts;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

function isReady({ status }: Body): boolean {
  const conditions = status?.conditions;
  return Array.isArray(conditions) && conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
}

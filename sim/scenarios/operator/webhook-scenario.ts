// The operator's webhooks in the simulator: two replicas serve them with certificates that live for a minute, while they are away,
// slow or distrusted; a user edits a toy, somebody else tries to store a bad one, and others write what is none of our business.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import * as resources from "../../../src/kube/client/built-in-resources.ts";
import { createClient } from "../../../src/kube/client/create-client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { publishBundle } from "../../../src/runtime/certificates/ca-bundle.ts";
import { CertificateKeeper } from "../../../src/runtime/certificates/certificate-keeper.ts";
import { findRoute } from "../../../src/runtime/http/http-routes.ts";
import { nodeCryptoKeys } from "../../../src/runtime/node/node-crypto-keys.ts";
import { VALIDATOR, validatingConfigurations } from "../../../src/webhooks/webhook-configurations.ts";
import { webhookRoutes } from "../../../src/webhooks/webhook-routes.ts";
import { metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Invariant, State } from "../../simulator/commit.ts";
import { edits } from "../../simulator/faults/object-faults.ts";
import { act, cutOff, dies, hangs } from "../../simulator/faults/world-faults.ts";
import { hostFaults } from "../../simulator/host.ts";
import { LEASES } from "../../simulator/invariants/only-holder-sends.ts";
import { linkFaults } from "../../simulator/network/link.ts";
import { type Served, WebhookLink, webhookFaults, webhooksAway } from "../../simulator/network/webhook-link.ts";
import type { Ports } from "../../simulator/ports.ts";
import { orderFaults } from "../../simulator/processor.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { operating } from "./careless-operators.ts";
import { aToy, GROUP, toyDefinition, toyKind, toys } from "./toy-kind.ts";
import { definitions } from "./toy-picture.ts";

const TABLE = `toys.${GROUP}`;
const KEY = "default/a";
const BAD = "bad";
const SECRET = "webhook-certificates";
const roles = ["operator", "other-operator"];
const noise = new Set([LEASES, "events", "secrets", "configmaps"]);
const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const notes: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };
/** A minute of life and a few seconds to make things known: a history sees several generations. */
const limits = { lifeMs: 60_000, backdateMs: 1_000, propagationMs: 8_000 };
const strangeBundle = Buffer.from("an authority that nobody knows").toString("base64");
const POLL_MS = 2_000;
const RETRY_MS = 1_000;

/** The toy kind, with an image that nobody may ask for. */
const strictKind: Kind = {
  ...toyKind,
  admit: (object) => {
    const isBad = isJsonObject(object) && textAt(objectAt(object, "spec"), "image") === BAD;
    return { problems: isBad ? [{ path: "spec.image", message: "is bad" }] : [], warnings: [] };
  },
};

/** How replicas keep their certificates, and what the API server is told of them; a test may bring a careless way. */
export type Care = {
  /** Changes the entry of a configuration before it is installed. */
  readonly hook: (webhook: JsonObject) => JsonObject;
  readonly keep: (keeper: CertificateKeeper) => void;
  readonly publishes: (how: (bundle: string) => Promise<boolean>) => (bundle: string) => Promise<boolean>;
};

const care: Care = {
  hook: (webhook) => webhook,
  keep: (keeper) => void keeper.run(new AbortController().signal),
  publishes: (how) => how,
};

/** The scenario; what its set-up starts is used by its faults: one history at a time. */
export function webhookScenario(careless: Partial<Care> = {}): Scenario {
  const taken = { ...care, ...careless };
  let link: WebhookLink | undefined;
  let wanted = "v1";
  return {
    name: "webhooks",
    about: "two replicas serve webhooks that are away, slow and distrusted by turns",
    ...{ faultsMs: 60_000, settleMs: 400_000, quietMs: 10_000 },
    faults: [
      ...roles.flatMap((role) => [...linkFaults(role, 0.5, { crashes: true }), ...hostFaults(role)]),
      ...[...webhookFaults, ...orderFaults],
    ],
    worldFaults: [
      ...roles.flatMap((role) => [cutOff, dies, hangs].map((fault) => fault(role))),
      ...[webhooksAway(() => link), bundleSpoilt, certificatesGone, badImage, otherBusiness],
      {
        ...{ name: "new-image", rate: 0.1 },
        strike: (world) => {
          wanted = `v${Math.round(world.clock.monotonicMs())}`;
          ask(world, () => wanted);
          return wanted;
        },
      },
    ],
    invariants: () => [nothingBad],
    requestRules: [],
    isNoise: ({ table }) => noise.has(table),
    unsettled: (state) => unsettled(state, wanted),
    setUp: async (world) => {
      wanted = "v1";
      link = new WebhookLink(world);
      world.answerWebhooks(link.call);
      const user = world.client("user");
      await user.create(definitions, toyDefinition);
      await user.create(toys, aToy("a", wanted));
      for (const configuration of configurations(taken.hook)) {
        await user.create(resources.validatingConfigurations, configuration);
      }
      const serve = link.serve.bind(link);
      for (const role of roles) world.host(role, (ports) => run(ports, taken, serve));
    },
  };
}

/** One replica: the operator, its webhooks, and the keeper of their certificates. */
function run(ports: Ports, { keep, publishes }: Care, serve: WebhookLink["serve"]): void {
  const { clock, rand, log, transport, identity } = ports;
  operating(ports, { kinds: [strictKind] });
  const client = createClient({ transport, clock, rand, fieldManager: "toymaker" });
  const routes = webhookRoutes([strictKind]);
  const keys = nodeCryptoKeys();
  const answer: Served["answer"] = async (path, review) => {
    const body = new TextEncoder().encode(JSON.stringify(review));
    const { signal } = new AbortController();
    const request = { method: "POST", path, query: new URLSearchParams(), headers: {}, body, signal };
    const answered = await findRoute(routes, "POST", path)(request);
    const read = parseJson(String(answered.body));
    if (answered.status !== 200 || !read.ok || !isJsonObject(read.value)) throw new Error(`status ${answered.status}`);
    return read.value;
  };
  const target = { resource: resources.validatingConfigurations, name: VALIDATOR };
  keep(
    new CertificateKeeper({
      ...{ client, clock, rand, log, keys, limits, namespace: "default", secretName: SECRET, subject: "toymaker" },
      ...{ hosts: ["webhooks"], pollMs: POLL_MS },
      publish: publishes((bundle) => publishBundle(client, [target], bundle)),
      serve: (generation) => {
        const { notAfterMs = 0 } = keys.inspect(generation) ?? {};
        serve(identity, { certificate: { ca: generation.ca, notAfterMs }, answer });
      },
    }),
  );
}

function configurations(hook: Care["hook"]) {
  const hooked = { group: GROUP, kind: "Toy", plural: "toys", versions: ["v1"], hasDefaults: false };
  return validatingConfigurations([hooked], (path) => ({ url: `https://webhooks${path}` })).map((configuration) => ({
    ...configuration,
    webhooks: Array.isArray(configuration.webhooks) ? configuration.webhooks.filter(isJsonObject).map(hook) : [],
  }));
}

/** A user asks for the newest image until he gets it; also when an older wish of his, held up on its way, is granted after it. */
function ask(world: World, newest: () => string): void {
  const image = newest();
  world
    .client("user")
    .patch(toys, KEY, { type: "merge", body: { spec: { image } } })
    .then(
      () => (image === newest() ? undefined : ask(world, newest)),
      () => world.clock.after(RETRY_MS, () => ask(world, newest)),
    );
}

const badImage: WorldFault = edits("bad-image", { resource: toys, table: TABLE }, [{ spec: { image: BAD } }]);

/** Somebody gives the API server an authority that has certified nothing of ours. */
const bundleSpoilt: WorldFault = {
  ...{ name: "bundle-spoilt", rate: 0.04 },
  strike: (world) => {
    const body = [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: strangeBundle } as const];
    act(world, world.client("rival").patch(resources.validatingConfigurations, VALIDATOR, { type: "json", body }));
    return VALIDATOR;
  },
};

/** Somebody deletes the Secret with the certificates; it is made anew by whoever needs it. */
const certificatesGone: WorldFault = {
  ...{ name: "certificates-gone", rate: 0.03 },
  strike: (world) => {
    act(world, world.client("rival").remove(secrets, `default/${SECRET}`));
    return SECRET;
  },
};

/** Others write their own things, which must not wait for us: a write that fails is a finding. */
const otherBusiness: WorldFault = {
  ...{ name: "other-business", rate: 1 },
  strike: (world) => {
    const name = `note-${Math.round(world.clock.monotonicMs())}`;
    const note: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
    world
      .client("neighbour")
      .create(notes, note)
      .catch((error: unknown) => world.fail("OthersUnharmed", String(error)));
    return undefined;
  },
};

const nothingBad: Invariant = {
  name: "NothingBad",
  check: ({ table, key, after }) =>
    table === TABLE && textAt(objectAt(after ?? {}, "spec"), "image") === BAD ? `${key} was stored` : undefined,
};

function unsettled(state: State, wanted: string): string | undefined {
  const toy = state.object(TABLE, KEY) ?? {};
  const image = textAt(objectAt(toy, "spec"), "image");
  if (image !== wanted) return `the user asks for ${wanted}, and ${image} is stored`;
  const { observedGeneration } = objectAt(toy, "status");
  return observedGeneration === numberAt(metaOf(toy), "generation") ? undefined : "the newest image has not been seen";
}

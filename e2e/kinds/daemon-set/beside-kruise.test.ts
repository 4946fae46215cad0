// A cluster in which Kruise's manager seems to be at work: its Lease is renewed, or its webhooks are configured. The sets are left to it.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { aSet, SET_NAME, sets } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { RivalWatch } from "../../../src/controllers/coexistence/rival-watch.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { createDaemonSetKind } from "../../../src/kinds/daemon-set/daemon-set-kind.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import { leases, microTime } from "../../../src/runtime/lease/lease-record.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { DaemonSetCluster } from "./daemon-set-cluster.ts";

const SOON = { deadlineMs: 90_000, everyMs: 100 };
const NODES = 2;
/** The manager's Lease, with a shorter time than the real one so that nobody waits long for its end. */
const LEASE_KEY = "kruise-system/kruise-manager";
const LEASE_SECONDS = 2;

type AnyObject = KubeObject & JsonObject;
const namespaces: Resource<KubeObject> = {
  ...{ group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
};
const events: Resource<AnyObject> = { group: "", version: "v1", plural: "events", kind: "Event", namespaced: true };
const mutating: Resource<AnyObject> = {
  ...{ group: "admissionregistration.k8s.io", version: "v1", plural: "mutatingwebhookconfigurations" },
  ...{ kind: "MutatingWebhookConfiguration", namespaced: false },
};

/** As Kruise configures it, but for the address, and harmless: nobody is there. */
const kruiseWebhook: AnyObject = {
  ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" },
  metadata: { name: "kruise-mutating-webhook-configuration" },
  webhooks: [
    {
      ...{ name: "mdaemonset.kb.io", failurePolicy: "Ignore", sideEffects: "None", admissionReviewVersions: ["v1"] },
      clientConfig: { url: "https://127.0.0.1:1/mutate-apps-kruise-io-daemonset" },
      rules: [
        {
          ...{ apiGroups: ["apps.kruise.io"], apiVersions: ["v1alpha1", "v1beta1"], resources: ["daemonsets"] },
          operations: ["CREATE", "UPDATE"],
        },
      ],
    },
  ],
};

describeWith("controllers", "beside Kruise", (binaries) => {
  let cluster: DaemonSetCluster;
  let client: Client;

  beforeAll(async () => {
    cluster = await DaemonSetCluster.start(binaries, NODES);
    client = cluster.client;
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "kruise-system" } });
  });
  afterEach(async () => {
    cluster.kill();
    await cluster.clean();
  });
  afterAll(() => cluster?.stop());

  const operate = () => {
    const { clock, rand } = cluster.admin;
    const kinds = [createDaemonSetKind()];
    const limits = { everyMs: 200, timeoutMs: 5_000 };
    const rivals = new RivalWatch({ kinds, clock, rand, log: logToList().log, limits });
    cluster.operate({}, { kinds, rivals });
  };
  const podCount = async () => (await cluster.pods()).length;
  const told = async () => {
    const found = (await client.list(events, { namespace: "default" })).items;
    return found.flatMap(({ reason, message }) => (reason === "OtherControllerActive" ? [`${message}`] : []));
  };
  const runs = () =>
    eventually("every node has a pod", async () => ((await podCount()) === NODES ? true : undefined), SOON);

  test("sets are left alone while its Lease is renewed, and taken once it has run out", async () => {
    const spec = () => ({
      ...{ holderIdentity: "kruise-manager-0", leaseDurationSeconds: LEASE_SECONDS },
      renewTime: microTime(cluster.admin.clock.wallMs()),
    });
    const [namespace = "", name = ""] = LEASE_KEY.split("/");
    await client.create(leases, {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name }, spec: spec() },
    });
    const renewing = { isOn: true };
    const renewal = (async () => {
      while (renewing.isOn) {
        await client.patch(leases, LEASE_KEY, { type: "merge", body: { spec: spec() } });
        await new Promise((resolve) => cluster.admin.clock.after(300, () => resolve(undefined)));
      }
    })();
    operate();
    await client.create(sets, aSet());
    const messages = await eventually(
      "the set tells who has it",
      async () => ((await told()).length > 0 ? told() : undefined),
      SOON,
    );
    expect(messages).toEqual([expect.stringContaining(`"kruise-manager-0" renews Lease ${LEASE_KEY}`)]);
    expect([await podCount(), (await client.get(sets, `default/${SET_NAME}`))?.status]).toEqual([0, undefined]);
    renewing.isOn = false;
    await renewal;
    await runs();
  });

  test("sets are left alone while its webhook answers for them", async () => {
    await client.create(mutating, kruiseWebhook);
    operate();
    await client.create(sets, aSet());
    const cause = "the webhooks of Kruise answer for daemonsets.apps.kruise.io";
    const isTold = async () => ((await told()).some((message) => message.includes(cause)) ? true : undefined);
    await eventually("the set tells who has it", isTold, SOON);
    expect(await podCount()).toBe(0);
    await client.remove(mutating, "kruise-mutating-webhook-configuration");
    await runs();
  });
});

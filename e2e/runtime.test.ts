// The runtime on a real API server: that it takes our Leases, Events and Secrets, and that it trusts our certificates.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../src/kube/client/create-client.ts";
import type { KubeObject, Resource } from "../src/kube/resource.ts";
import { CertificateKeeper } from "../src/runtime/certificates/certificate-keeper.ts";
import type { Generation } from "../src/runtime/certificates/x509.ts";
import type { Routes } from "../src/runtime/http/http-routes.ts";
import { type Term, uniqueIdentity } from "../src/runtime/lease/leadership.ts";
import { LeaseLeadership } from "../src/runtime/lease/lease-leadership.ts";
import { leases } from "../src/runtime/lease/lease-record.ts";
import { fenceWrites, NotLeadingError } from "../src/runtime/lease/write-fence.ts";
import { EVENT_LIMITS, EventRecorder } from "../src/runtime/log/event-recorder.ts";
import { events, type KubeEvent } from "../src/runtime/log/event-series.ts";
import { logToList } from "../src/runtime/log/testing/log-to-list.ts";
import { nodeCryptoKeys } from "../src/runtime/node/node-crypto-keys.ts";
import { NodeHttpServer } from "../src/runtime/node/node-http-server.ts";
import { type Cluster, startCluster } from "./control-plane/cluster.ts";
import { type Connection, connect } from "./control-plane/connect.ts";
import { describeWith } from "./control-plane/describe-with.ts";
import { eventually } from "./control-plane/eventually.ts";

type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };
const configMaps: Resource<ConfigMap> = {
  ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
};
const webhooks: Resource = {
  ...{ group: "admissionregistration.k8s.io", version: "v1", plural: "validatingwebhookconfigurations" },
  ...{ kind: "ValidatingWebhookConfiguration", namespaced: false },
};
const aMap = (name: string): ConfigMap => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } },
});
const patience = { deadlineMs: 30_000 };

describeWith("api", "the runtime on a real API server", (binaries) => {
  let cluster: Cluster;
  let server: Connection;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    server = connect(cluster.address, cluster.token(), "runtime-test");
  });
  afterAll(async () => {
    server?.close();
    await cluster?.stop();
  });

  const aCandidate = (name: string) => {
    const { client, clock, rand } = server;
    const terms: Term[] = [];
    const leadership = new LeaseLeadership({
      ...{ client, clock, rand, log: logToList().log, namespace: "default", name: "the-lease" },
      identity: uniqueIdentity(name, rand),
      limits: { leaseDurationMs: 3_000, fenceMarginMs: 1_000, retryMs: 400, requestTimeoutMs: 800 },
    });
    leadership.start((term) => {
      terms.push(term);
      return new Promise((resolve) => term.signal.addEventListener("abort", () => resolve()));
    });
    return { leadership, terms };
  };

  test("two candidates: one leads, hands over when it stops, and its writes are turned away after that", async () => {
    const { client, clock, rand, transport } = server;
    const first = aCandidate("first");
    await eventually("the first leads", () => first.terms[0], patience);
    const second = aCandidate("second");
    const lease = await client.get(leases, "default/the-lease");
    expect(lease?.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^first_[0-9a-f]{8}$/),
      leaseDurationSeconds: 3,
      renewTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
    const fence = first.terms[0]?.fence ?? (() => {});
    const writer = createClient({ transport: fenceWrites(transport, fence), clock, rand, fieldManager: "leader" });
    await writer.create(configMaps, aMap("by-the-leader"));
    await first.leadership.stop(1_000);
    await eventually("the second leads", () => second.terms[0], patience);
    await expect(writer.create(configMaps, aMap("by-nobody"))).rejects.toThrow(NotLeadingError);
    expect((await client.get(leases, "default/the-lease"))?.spec?.leaseTransitions).toBe(1);
    await second.leadership.stop(1_000);
    expect((await client.get(leases, "default/the-lease"))?.spec?.holderIdentity).toBeUndefined();
  });

  test("a leader notices within its deadline that the server has gone, and leads again when it is back", async () => {
    const only = aCandidate("only");
    await eventually("it leads", () => only.terms[0], patience);
    await cluster.part("kube-apiserver").kill();
    await eventually("it has stepped down", () => only.terms[0]?.signal.aborted || undefined, patience);
    expect(only.leadership.readings().isLeading).toBe(false);
    await cluster.part("kube-apiserver").start();
    await eventually("it leads again", () => only.terms[1], { deadlineMs: 60_000 });
    await only.leadership.stop(1_000);
  });

  test("the same news twice is one Event with a count of two", async () => {
    const { client, clock, rand } = server;
    const made = await client.create(configMaps, aMap("in-the-news"));
    const recorder = new EventRecorder({
      ...{ client, clock, rand, log: logToList().log, component: "runtime-test", instance: "one" },
      limits: { ...EVENT_LIMITS, repeatMs: 100 },
    });
    const about = { apiVersion: "v1", kind: "ConfigMap", name: "in-the-news", namespace: "default" };
    const happening = {
      about: { ...about, uid: made.metadata.uid },
      type: "Normal",
      reason: "Seen",
      message: "hi",
    } as const;
    const seen = async (count: number): Promise<KubeEvent | undefined> => {
      const { items } = await client.list(events, { namespace: "default", fieldSelector: "reason=Seen" });
      return items.find((item) => item.count === count);
    };
    recorder.record(happening);
    await eventually("the event", () => seen(1), patience);
    recorder.record(happening);
    const event = await eventually("its count", () => seen(2), patience);
    expect(event.involvedObject.uid).toBe(made.metadata.uid);
    expect(recorder.readings()).toEqual({ written: 2, dropped: 0 });
    await recorder.stop(1_000);
  });

  test("replicas that race for an empty Secret agree, and the API server calls a webhook by their certificate", async () => {
    const { client, clock, rand } = server;
    const { log } = logToList();
    const asked: string[] = [];
    const served: Generation[] = [];
    let bundle = "";
    const keepers = Array.from({ length: 3 }, () => {
      const publish = async (out: string) => {
        bundle = out;
        return true;
      };
      return new CertificateKeeper({
        ...{ client, clock, rand, log, keys: nodeCryptoKeys(), namespace: "default", secretName: "serving" },
        ...{ subject: "webhook", hosts: ["localhost"], publish, serve: (one) => void served.push(one) },
      });
    });
    await Promise.all(keepers.map((keeper) => keeper.refresh()));
    const [certificate] = served;
    expect(new Set(served.map(({ cert }) => cert)).size).toBe(1);
    if (certificate === undefined) throw new Error("nothing is served");

    const routes: Routes = new Map([
      [
        "POST /validate",
        ({ body }) => {
          const { request } = JSON.parse(new TextDecoder().decode(body));
          asked.push(request.name);
          const response = {
            uid: request.uid,
            allowed: request.name !== "refused",
            status: { message: "not this one" },
          };
          const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
          return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(review) };
        },
      ],
    ]);
    const http = new NodeHttpServer({ name: "webhook", routes, port: 0, host: "127.0.0.1", certificate, clock, log });
    const url = `https://localhost:${await http.start()}/validate`;
    await client.create(webhooks, {
      ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
      ...{ metadata: { name: "runtime-test" }, webhooks: [aWebhook(url, bundle)] },
    });
    await eventually(
      "the webhook refuses",
      () =>
        client.create(configMaps, aMap("refused"), { dryRun: true }).then(
          () => undefined,
          (error) => error,
        ),
      patience,
    ).then((error) => expect(String(error)).toContain("not this one"));
    await client.create(configMaps, aMap("allowed"));
    expect(asked).toContain("allowed");
    await client.remove(webhooks, "runtime-test");
    await http.stop(1_000);
  });
});

function aWebhook(url: string, bundle: string) {
  return {
    name: "configmaps.runtime.test",
    clientConfig: { url, caBundle: Buffer.from(bundle).toString("base64") },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
    ...{ failurePolicy: "Fail", sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 5 },
  };
}

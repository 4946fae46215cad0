import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../sim/api-server/api-server.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { validatingConfigurations } from "../../kube/client/built-in-resources.ts";
import { createClient } from "../../kube/client/create-client.ts";
import { publishBundle, stepsFor } from "./ca-bundle.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the steps", () => {
  test("give every webhook the bundle, and check that it is the one that was read", () => {
    const webhooks = [
      { name: "a", clientConfig: { url: "u" } },
      { name: "b", clientConfig: { url: "u", caBundle: "new" } },
      { name: "c", clientConfig: { url: "u", caBundle: "old" } },
    ];
    expect(stepsFor({ webhooks }, "new")).toEqual([
      { op: "test", path: "/webhooks/0/name", value: "a" },
      { op: "add", path: "/webhooks/0/clientConfig/caBundle", value: "new" },
      { op: "test", path: "/webhooks/2/name", value: "c" },
      { op: "add", path: "/webhooks/2/clientConfig/caBundle", value: "new" },
    ]);
  });

  test("give it to the conversion of a definition, if it has one", () => {
    const conversion = { strategy: "Webhook", webhook: { clientConfig: { url: "u" } } };
    const path = "/spec/conversion/webhook/clientConfig/caBundle";
    expect(stepsFor({ spec: { conversion } }, "new")).toEqual([{ op: "add", path, value: "new" }]);
    expect(stepsFor({ spec: { conversion: { strategy: "None" } } }, "new")).toEqual([]);
  });
});

test("what is there gets the bundle, what is not there needs none, and twice is once", async () => {
  const clock = new VirtualClock();
  const rand = seededRand(1);
  const transport = createApiServer({ clock, rand }).transport();
  const client = createClient({ transport, clock, rand, fieldManager: "test" });
  const act = async <T>(work: Promise<T>): Promise<T> => {
    await clock.elapse(1_000);
    return work;
  };
  const webhook = {
    ...{ name: "a.example.dev", clientConfig: { url: "https://localhost/a" }, sideEffects: "None" },
    ...{ admissionReviewVersions: ["v1"], rules: [] },
  };
  const made = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
  await act(client.create(validatingConfigurations, { ...made, metadata: { name: "ours" }, webhooks: [webhook] }));
  const targets = ["ours", "nobody"].map((name) => ({ resource: validatingConfigurations, name }));
  expect(await act(publishBundle(client, targets, "CERTIFICATE"))).toBe(true);
  const once = await act(client.get(validatingConfigurations, "ours"));
  expect(once?.webhooks).toMatchObject([{ clientConfig: { caBundle: base64("CERTIFICATE") } }]);
  expect(await act(publishBundle(client, targets, "CERTIFICATE"))).toBe(true);
  const twice = await act(client.get(validatingConfigurations, "ours"));
  expect(twice?.metadata.resourceVersion).toBe(once?.metadata.resourceVersion);
});

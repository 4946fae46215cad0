// Objects of one controller share what they repeat; whether they do must not show in what becomes of them.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { objectAt } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";
import { Siblings } from "./siblings.ts";

const builtIn = builtInKinds();
const pods = "/api/v1/namespaces/default/pods";

function aPod(name: string, spec: JsonObject = {}, uid = "set-1"): JsonObject {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "set", uid, controller: true }];
  const containers = [{ name: "main", image: "img:1", env: [{ name: "A", value: "1" }] }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ownerReferences }, spec: { containers, ...spec } };
}

test("the pods of a set share what they have in common", async () => {
  const { server, transport } = aServer({ builtIn });
  await call(transport, "POST", pods, aPod("a", { nodeName: "n-1" }));
  await call(transport, "POST", pods, aPod("b", { nodeName: "n-2" }));
  const [a, b] = ["a", "b"].map((name) => objectAt(server.store.get("pods", `default/${name}`)?.object ?? {}, "spec"));
  expect([a?.nodeName, b?.nodeName]).toEqual(["n-1", "n-2"]);
  expect(b?.containers).toBe(a?.containers);
  expect(b?.tolerations).toBe(a?.tolerations);
});

const some = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const specs: fc.Arbitrary<JsonObject> = fc.record(
  {
    nodeName: some("n-1", "n-2", "N_3"),
    restartPolicy: some("Always", "Never", "Sometimes"),
    hostNetwork: some(true, false),
    nodeSelector: some({ a: "1" }, { "a b": "1" }),
    tolerations: some([{ key: "a", operator: "Exists" }], [{ key: "a", operator: "Is" }]),
    volumes: some([{ name: "v" }], [{ name: "v", hostPath: { path: "/a" } }], [{ name: "V" }]),
    containers: some(
      [{ name: "main", image: "img:1", volumeMounts: [{ name: "v", mountPath: "/a" }] }],
      [{ name: "main", image: "img:1", ports: [{ containerPort: 80, hostPort: 81 }] }],
    ),
  },
  { requiredKeys: [] },
);

/** The answer to the last of some creates, without what tells one server's objects from another's. */
async function answerTo(creates: readonly JsonObject[]): Promise<unknown> {
  const { transport } = aServer({ builtIn });
  const answers = [];
  for (const pod of creates) answers.push(await call(transport, "POST", pods, pod));
  const last = answers.at(-1);
  const text = JSON.stringify({ status: last?.status, body: last?.body });
  return JSON.parse(text.replaceAll(/"(uid|resourceVersion)":"[^"]*"/g, '"$1":""'));
}

test("what its sibling was like makes no difference to a pod", async () => {
  const law = fc.asyncProperty(specs, specs, async (first, second) => {
    expect(await answerTo([aPod("a", first), aPod("b", second)])).toEqual(await answerTo([aPod("b", second)]));
  });
  await fc.assert(law, { numRuns: 60 });
});

test("the latest objects of the controllers that were at work last are known, and none of other objects", () => {
  const siblings = new Siblings();
  const orphan = { metadata: { name: "o" } };
  siblings.keep(orphan);
  expect(siblings.of(orphan)).toBeUndefined();
  const made = Array.from({ length: 65 }, (_, at) => aPod("a", {}, `set-${at}`));
  for (const pod of made) siblings.keep(pod);
  expect(siblings.of(aPod("b", {}, "set-0"))).toBeUndefined();
  expect(siblings.of(aPod("b", {}, "set-64"))).toBe(made[64]);
});

// The objects that `kubectl create` sends as protobuf, against those that it prints as JSON when it only tries: the embedded
// server must read the one as the other. FARRIER_RECORD=1 records both for the tests beside the reader.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { readProtobuf } from "../../sim/api-server/protobuf/read-protobuf.ts";
import { type ServedApi, serveApi } from "../../sim/http/serve-api.ts";
import { writeKubeconfig } from "../../sim/http/write-kubeconfig.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { type Kubectl, runKubectl } from "./kubectl.ts";

const vectors = new URL("../../sim/api-server/protobuf/vectors/kubectl-create.json", import.meta.url);

const commands: readonly string[] = [
  "create namespace a",
  "create serviceaccount a",
  "create configmap a --from-literal=x=1 --from-literal=y= --from-file=settings.yaml",
  "create secret generic a --from-literal=x=secret",
  "create secret generic b --type=example.dev/mine --from-literal=x=y",
  "create deployment a --image=example.dev/a:1 --image=example.dev/b:2 --replicas=0",
  "create deployment b --image=example.dev/a:1 --port=8080 -- run --fast",
  "create job a --image=example.dev/a:1 -- run",
  "create service clusterip a --tcp=80:8080 --tcp=443",
  "create service nodeport b --tcp=80:web --node-port=30080",
  "create service externalname c --external-name=example.dev",
  "create quota a --hard=pods=3,cpu=500m",
  "create role a --verb=get,list --resource=pods,daemonsets.apps --resource-name=x",
  "create clusterrole a --verb=get --non-resource-url=/healthz",
  "create rolebinding a --role=a --user=u --group=g --serviceaccount=default:s",
  "create clusterrolebinding a --clusterrole=a --user=u",
  "create poddisruptionbudget a --selector=app=a --min-available=50%",
  "create poddisruptionbudget b --selector=app=a --max-unavailable=1",
];

/** Without what says nothing: JSON writes it, protobuf does not. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => inner !== null && !isEmptyObject(inner)));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

describeWith("api", "kubectl create", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-create-"));
  const sent: Uint8Array[] = [];
  let api: ServedApi;
  let kubectl: Kubectl;

  beforeAll(async () => {
    const clock = nodeClock();
    const inner = createApiServer({ clock, rand: nodeRand() }).transport();
    const request = (asked: HttpRequest) => {
      const isSent = asked.headers["content-type"] === "application/vnd.kubernetes.protobuf";
      if (isSent && asked.body instanceof Uint8Array) sent.push(asked.body);
      return inner.request(asked);
    };
    api = await serveApi({ server: { transport: () => ({ ...inner, request }) }, port: 0, clock });
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, writeKubeconfig(api));
    const program = binaries.get("kubectl") ?? "kubectl";
    kubectl = { program, kubeconfig, home: folder, folder: join(import.meta.dirname, "manifests") };
  });

  afterAll(async () => {
    await api?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!binaries.has("kubectl"))("sends what it prints", async () => {
    const rows: { command: string; body: string; object: unknown }[] = [];
    for (const command of commands) {
      const [words = "", ...behind] = command.split(" -- ");
      const tried = [`${words} --dry-run=client -o json`, ...behind].join(" -- ");
      // A create does not read the status.
      const { status: _status, ...printed } = JSON.parse((await runKubectl(kubectl, tried)).out);
      const object = withoutEmpty(printed);
      const made = await runKubectl(kubectl, command);
      expect(made).toMatchObject({ code: 0, err: "" });
      const body = sent.splice(0).at(-1) ?? new Uint8Array();
      expect(readProtobuf(body)).toEqual({ ok: true, value: object });
      rows.push({ command, body: Buffer.from(body).toString("base64"), object });
    }
    const text = `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`;
    if (process.env.FARRIER_RECORD === "1") writeFileSync(vectors, text);
    expect(text).toBe(readFileSync(vectors, "utf8"));
  });
});

// Webhooks over real sockets and TLS: what they are sent, and what a write is told when they cannot be had.
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { issueGeneration } from "../../src/runtime/certificates/x509.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeCryptoKeys } from "../../src/runtime/node/node-crypto-keys.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createApiServer } from "../api-server/api-server.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { ANSWER_BYTES_MAX, CALL_MS_MAX, webhooksOverHttps } from "./webhooks-over-https.ts";

const clock = nodeClock();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A webhook on loopback; gives the configuration with which a client finds and trusts it. */
async function aWebhook(listener: RequestListener): Promise<{ readonly url: string; readonly caBundle: string }> {
  const nowMs = clock.wallMs();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
  const { ca, cert, key } = issueGeneration(nodeCryptoKeys(), { name: "webhook", hosts: ["127.0.0.1"], ...validity });
  const server = createServer({ cert, key }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `https://127.0.0.1:${port}/review`, caBundle: Buffer.from(ca).toString("base64") };
}

const answering =
  (respond: (request: JsonObject) => JsonObject): RequestListener =>
  async (incoming, outgoing) => {
    let text = "";
    for await (const piece of incoming) text += String(piece);
    const { kind, apiVersion, request } = JSON.parse(text);
    outgoing.end(JSON.stringify({ kind, apiVersion, response: { uid: request.uid, ...respond(request) } }));
  };

async function createThrough(
  clientConfig: JsonObject,
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const server = createApiServer({ clock, rand: nodeRand(), callWebhook: webhooksOverHttps(clock) });
  const transport = server.transport();
  const post = async (path: string, body: JsonObject) => {
    const answer = await transport.request({
      method: "POST",
      path,
      headers: {},
      body: JSON.stringify(body),
      lane: "calls",
    });
    return { status: answer.status, body: JSON.parse(new TextDecoder().decode(answer.body)) };
  };
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const webhook = { name: "a.example.dev", sideEffects: "None", admissionReviewVersions: ["v1"], rules, clientConfig };
  const made = await post("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "a" },
    webhooks: [webhook],
  });
  expect(made.status).toBe(201);
  return post("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" }, data: { x: "1" } });
}

describe("webhooksOverHttps()", () => {
  test("a webhook at a URL changes what is written", async () => {
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/data/y", value: "2" }])).toString("base64");
    const config = await aWebhook(answering(() => ({ allowed: true, patchType: "JSONPatch", patch })));
    expect(await createThrough(config)).toMatchObject({ status: 201, body: { data: { x: "1", y: "2" } } });
  });

  test("a webhook at a URL refuses, in its own words", async () => {
    const config = await aWebhook(answering(() => ({ allowed: false, status: { message: "not on a Monday" } })));
    const { body } = await createThrough(config);
    expect(body.message).toBe('admission webhook "a.example.dev" denied the request: not on a Monday');
  });

  test("one that the configured authority does not vouch for is not believed", async () => {
    const { url } = await aWebhook(answering(() => ({ allowed: true })));
    const { caBundle } = await aWebhook(answering(() => ({ allowed: true })));
    const { status, body } = await createThrough({ url, caBundle });
    expect(status).toBe(500);
    expect(body.message).toMatch(
      /failed calling webhook "a.example.dev": failed to call webhook: Post "https:.*certificate/,
    );
  });

  const reviews = [
    ["says no", (_in, out) => void out.writeHead(503).end("try later"), /it answered with 503: try later$/],
    ["says nothing that is JSON", (_in, out) => void out.end("<html>"), /it answered with no JSON object$/],
    ["never stops", (_in, out) => void out.end("x".repeat(ANSWER_BYTES_MAX + 1)), /longer than 3145728 bytes$/],
    ["hangs up", (incoming) => void incoming.socket.destroy(), /socket hang up|ECONNRESET/],
  ] as const satisfies readonly (readonly [string, RequestListener, RegExp])[];
  test.each(reviews)("one that %s is told of with its address", async (_what, listener, message) => {
    const config = await aWebhook(listener);
    const call = webhooksOverHttps(clock)(config, {});
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toThrow(`Post "${config.url}": `);
  });

  test("one that never answers is given up", async () => {
    const time = new VirtualClock();
    const arrived = Promise.withResolvers<void>();
    const config = await aWebhook(() => arrived.resolve());
    const call = webhooksOverHttps(time)(config, {});
    await arrived.promise;
    time.advance(CALL_MS_MAX);
    await expect(call).rejects.toThrow("context deadline exceeded");
    expect(time.timerCount).toBe(0);
  });

  test("one behind a service, or at no https address, is refused with the remedy", async () => {
    const call = webhooksOverHttps(clock);
    const inCluster = { service: { namespace: "farrier", name: "hook" } };
    await expect(call(inCluster, {})).rejects.toThrow('service "farrier/hook" cannot be reached');
    await expect(call(inCluster, {})).rejects.toThrow("give clientConfig.url instead");
    await expect(call({ url: "http://127.0.0.1/x" }, {})).rejects.toThrow("correct clientConfig.url");
  });
});

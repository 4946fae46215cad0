import { expect, test } from "vitest";
import { ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { type Access, reviewAccess } from "./access-review.ts";
import { createClient } from "./create-client.ts";

const access: Access = { verb: "patch", group: "", resource: "nodes" };

async function ask(status: unknown) {
  const transport = new ScriptedTransport([{ status: 201, json: { kind: "SelfSubjectAccessReview", status } }]);
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  return { verdict: await reviewAccess(client, access), sent: transport.sent(0), path: transport.requests[0]?.path };
}

test("the question names what we want to do", async () => {
  const { sent, path } = await ask({ allowed: true });
  expect(path).toBe("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  expect(sent).toEqual({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: access },
  });
});

test.each([
  ["yes, with the server's reason", { allowed: true, reason: "RBAC: allowed by x" }, true, "RBAC: allowed by x"],
  ["yes", { allowed: true }, true, "allowed"],
  ["no", { allowed: false }, false, "no rule allows it"],
  ["no, for an error", { allowed: false, reason: "", evaluationError: "role not found" }, false, "role not found"],
  ["no answer is no", {}, false, "no rule allows it"],
  ["nonsense is no", "yes", false, "no rule allows it"],
])("%s", async (_what, status, allowed, because) => {
  expect((await ask(status)).verdict).toEqual({ allowed, because });
});

import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "./create-client.ts";
import { type PodLogOptions, readPodLog } from "./pod-log.ts";

async function read(answer: Scripted, options: PodLogOptions = {}) {
  const transport = new ScriptedTransport([answer]);
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  return { log: await readPodLog(client, "web/a", options), request: transport.requests[0] };
}

test("the end of a log is asked for by line and byte", async () => {
  const { log, request } = await read({ status: 200, text: "one\ntwo\n" });
  expect(log).toBe("one\ntwo\n");
  expect(request?.path).toBe("/api/v1/namespaces/web/pods/a/log?tailLines=50&limitBytes=1048576");
});

test("one container, its run before the restart, and other limits may be named", async () => {
  const { request } = await read(
    { status: 200, text: "" },
    { container: "main", previous: true, lines: 5, bytesMax: 100 },
  );
  expect(request?.path).toBe(
    "/api/v1/namespaces/web/pods/a/log?container=main&tailLines=5&limitBytes=1048576&previous=true",
  );
});

test("of long lines the end is kept", async () => {
  const { log } = await read({ status: 200, text: `${"x".repeat(500)}the end` }, { bytesMax: 10 });
  expect(log).toBe("xxxthe end");
});

test("a pod that is gone has no log", async () => {
  expect((await read({ status: 404 })).log).toBeUndefined();
});

import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../sim/scripted-transport.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { createClient } from "../kube/client/create-client.ts";
import { logToList } from "../runtime/log/testing/log-to-list.ts";
import { askResizing } from "./resizing.ts";

type Server = { readonly pods: Scripted; readonly version: Scripted };

async function asked({ pods, version }: Server) {
  const transport = new ScriptedTransport(({ path }) => (path === "/version" ? version : pods));
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  const { log, lines } = logToList();
  return { resizing: await askResizing(client, log), said: lines.map(({ message }) => message) };
}

const having = (...names: readonly string[]): Scripted => ({
  ...{ status: 200, json: { resources: names.map((name) => ({ name })) } },
});
const resizable = having("pods", "pods/resize");
const minor = (text: string): Scripted => ({
  ...{ status: 200, json: { major: "1", minor: text, gitVersion: `v1.${text}.0` } },
});
const refusal: Scripted = { status: 403, json: {} };

test.each([
  ["33", "growing"],
  ["33+", "growing"],
  ["34", "free"],
  ["35+", "free"],
  ["", "growing"],
])("a server of minor version %j lets running pods be resized: %j", async (text, resizing) => {
  expect(await asked({ pods: resizable, version: minor(text) })).toEqual({ resizing, said: [] });
});

test("a server without the subresource lets nothing be resized, and that is said", async () => {
  expect(await asked({ pods: having("pods", "pods/status"), version: minor("35") })).toEqual({
    resizing: "none",
    said: [expect.stringContaining("has no effect: the API server has no pods/resize")],
  });
});

test("of a server that does not tell what it has the gate is believed", async () => {
  expect(await asked({ pods: refusal, version: minor("35") })).toEqual({
    ...{ resizing: "free", said: [expect.stringContaining("cannot ask the API server for pods/resize")] },
  });
});

test("of a server that does not tell its version the careful thing is believed", async () => {
  expect(await asked({ pods: resizable, version: refusal })).toEqual({
    ...{ resizing: "growing", said: [expect.stringContaining("are made anew")] },
  });
});

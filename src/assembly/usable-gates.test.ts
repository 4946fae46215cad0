import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../sim/scripted-transport.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { DEFAULT_GATES } from "../kinds/daemon-set/gates.ts";
import { createClient } from "../kube/create-client.ts";
import { logToList } from "../runtime/log-to-list.ts";
import { usableGates } from "./usable-gates.ts";

const resizing = { ...DEFAULT_GATES, InPlaceWorkloadVerticalScaling: true };

async function asked(answer: Scripted, gates = resizing) {
  const transport = new ScriptedTransport(() => answer);
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  const { log, lines } = logToList();
  const usable = await usableGates(gates, client, log);
  return { isOn: usable.InPlaceWorkloadVerticalScaling, said: lines.map(({ message }) => message) };
}

const resources = (...names: readonly string[]): Scripted => ({
  ...{ status: 200, json: { resources: names.map((name) => ({ name })) } },
});

test("resizing stays on where the server can do it", async () => {
  expect(await asked(resources("pods", "pods/resize"))).toEqual({ isOn: true, said: [] });
});

test("resizing is switched off where the server cannot, with a word about it", async () => {
  const { isOn, said } = await asked(resources("pods", "pods/status"));
  expect([isOn, said]).toEqual([false, [expect.stringContaining("has no effect: the API server has no pods/resize")]]);
});

test("a server that does not tell changes nothing", async () => {
  expect(await asked({ status: 403, json: {} })).toEqual({ isOn: true, said: [expect.stringContaining("cannot ask")] });
});

test("what is off is not asked about", async () => {
  expect(await asked({ status: 403, json: {} }, DEFAULT_GATES)).toEqual({ isOn: false, said: [] });
});

import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../sim/scripted-transport.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { createClient } from "../kube/create-client.ts";
import { logToList } from "../runtime/log-to-list.ts";
import { shrinksMemory } from "./shrinks-memory.ts";

async function asked(answer: Scripted) {
  const transport = new ScriptedTransport(() => answer);
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  const { log, lines } = logToList();
  return { shrinks: await shrinksMemory(client, log), said: lines.map(({ message }) => message) };
}

const version = (minor: string): Scripted => ({
  status: 200,
  json: { major: "1", minor, gitVersion: `v1.${minor}.0` },
});

test.each([
  ["32", false],
  ["33", false],
  ["33+", false],
  ["34", true],
  ["35+", true],
  ["", false],
])("a server of minor version %j takes memory from running containers: %j", async (minor, shrinks) => {
  expect(await asked(version(minor))).toEqual({ shrinks, said: [] });
});

test("of a server that does not tell the careful thing is believed", async () => {
  expect(await asked({ status: 403, json: {} })).toEqual({
    ...{ shrinks: false, said: [expect.stringContaining("are made anew")] },
  });
});

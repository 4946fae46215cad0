import { expect, test } from "vitest";
import { TransportError } from "../src/kube/transport-error.ts";
import { ObjectHistory } from "./object-history.ts";
import { ScriptedServer, type ServerOptions } from "./scripted-server.ts";
import { seededRand } from "./seeded-rand.ts";
import { NO_FAULTS, type ServerFaults } from "./server-faults.ts";
import { VirtualClock } from "./virtual-clock.ts";

function aServer(options: Partial<ServerOptions> = {}, faults: Partial<ServerFaults> = {}) {
  const clock = new VirtualClock();
  const history = new ObjectHistory();
  for (const name of ["b", "a", "c"]) history.put(name, "white", 0);
  const server = new ScriptedServer({ clock, rand: seededRand(7), history, ...options });
  server.faults = { ...NO_FAULTS, ...faults };
  /** Everything that comes of a GET within a time, and how it ends. */
  const get = async (query: string, withinMs = 100) => {
    const came: string[] = [];
    const headers = {};
    const reading = server.stream({ method: "GET", path: `/api/v1/things?${query}`, headers, lane: "watches" });
    void reading
      .then(async ({ status, chunks }) => {
        if (status !== 200) came.push(`${status} `);
        for await (const chunk of chunks) came.push(new TextDecoder().decode(chunk));
        came.push("END");
      })
      .catch((error: unknown) => came.push(error instanceof TransportError ? error.reason : String(error)));
    await clock.elapse(withinMs);
    return { text: () => came.join("") };
  };
  return { clock, history, server, get };
}

const namesIn = (text: string) => [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).join("");

test("a list is paged from one snapshot, and an old position expires", async () => {
  const { history, get } = aServer();
  const first = (await get("limit=2")).text();
  expect([namesIn(first), /"continue":"103:2"/.test(first)]).toEqual(["ab", true]);
  history.put("d", "white", 0);
  expect(namesIn((await get("limit=2&continue=103:2")).text())).toBe("c");
  history.compact(104);
  expect((await get("limit=2&continue=103:2")).text()).toMatch(/^410 .*Expired.*END$/);
});

test("a watch brings what came after its version, bookmarks once a minute, and ends when asked to", async () => {
  const { clock, history, server, get } = aServer();
  const watch = await get("watch=true&resourceVersion=102&timeoutSeconds=90");
  history.remove("a", clock.monotonicMs());
  server.changed();
  await clock.elapse(61_000);
  expect([...watch.text().matchAll(/"type":"(\w+)"/g)].map(([, type]) => type)).toEqual([
    "ADDED",
    "DELETED",
    "BOOKMARK",
  ]);
  await clock.elapse(30_000);
  expect([watch.text().endsWith("END"), server.openWatches]).toEqual([true, 0]);
});

test("a watch of a replica that lags comes later, and one of a forgotten version is refused in the stream", async () => {
  const { clock, history, server, get } = aServer({ lagsMs: [5_000] });
  await clock.elapse(10_000);
  const watch = await get("watch=true&resourceVersion=103&timeoutSeconds=300");
  history.put("d", "white", clock.monotonicMs());
  server.changed();
  await clock.elapse(4_900);
  expect(watch.text()).toBe("");
  await clock.elapse(200);
  expect(namesIn(watch.text())).toBe("d");
  history.compact(104);
  expect((await get("watch=true&resourceVersion=103")).text()).toMatch(/"type":"ERROR".*"code":410.*\nEND$/);
});

test("a streamed list is all objects and a mark, then the changes; servers may refuse it", async () => {
  const { get } = aServer();
  const text = (await get("watch=true&sendInitialEvents=true")).text();
  expect([namesIn(text), /initial-events-end":"true"/.test(text), text.endsWith("END")]).toEqual(["abc", true, false]);
  expect((await aServer({ streamsLists: false }).get("watch=true&sendInitialEvents=true")).text()).toMatch(/^422 /);
});

test.each([
  { fault: "unreachable", says: /^unreachable$/ },
  { fault: "mute", says: /^$/ },
  { fault: "failed", says: /^500 / },
  { fault: "overloaded", says: /^429 / },
  { fault: "webPage", says: /^<html>/ },
  { fault: "emptyList", says: /"items":\[\]\}END$/ },
] as const)("the fault $fault does what it says", async ({ fault, says }) => {
  expect((await aServer({}, { [fault]: 1 }).get("limit=500")).text()).toMatch(says);
});

test("a write is done even when its answer is lost", async () => {
  const { clock, history, server } = aServer({}, { answerLost: 1 });
  const body = JSON.stringify({ colour: "red" });
  const write = server.request({ method: "PUT", path: "/api/v1/things/a", headers: {}, body, lane: "calls" });
  const failed = expect(write).rejects.toThrow("the answer was lost");
  await clock.elapse(100);
  await failed;
  expect(history.at(history.version)[0]?.spec.colour).toBe("red");
});

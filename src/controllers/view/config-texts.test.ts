import { expect, test } from "vitest";
import { toyKind } from "../../../sim/scenarios/operator/toy-kind.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "../../kube/client/create-client.ts";
import { logToList } from "../../runtime/log/testing/log-to-list.ts";
import { onBehalfOf } from "../perform/on-behalf.ts";
import { CONFIG_TEXT_LIMITS, ConfigTexts } from "./config-texts.ts";

const { presentMs, absentMs } = CONFIG_TEXT_LIMITS;
const dockerfile = { name: "files", key: "dockerfile" };
const behalf = (name: string) =>
  onBehalfOf(toyKind, { namespace: "ns", name }, { object: undefined, program: "toymaker" });

/** An API server with these ConfigMaps, a reader at work, and the keys of objects that were woken. */
function aWorld() {
  const clock = new VirtualClock();
  const held = new Map<string, string>();
  const server = { status: 200, paths: [] as string[] };
  const ports = { clock, rand: seededRand(1), log: logToList().log };
  const headers = { "content-type": "application/json" };
  const answer = (status: number, content: unknown) => ({
    ...{ status, headers, body: new TextEncoder().encode(JSON.stringify(content)) },
  });
  const transport = {
    request: async ({ method, path }: { readonly method: string; readonly path: string }) => {
      server.paths.push(`${method} ${path.replace(/\?.*$/, "")}`);
      if (server.status !== 200) return answer(server.status, { kind: "Status", code: server.status });
      const name = path.replace(/^.*\/|\?.*$/g, "");
      const text = held.get(name);
      if (text === undefined) return answer(404, { kind: "Status", code: 404, reason: "NotFound" });
      return answer(200, { metadata: { name }, data: { dockerfile: text } });
    },
    stream: () => new Promise<never>(() => undefined),
  };
  const texts = new ConfigTexts(ports);
  const woken: string[] = [];
  texts.changesFor(toyKind).start((key) => void woken.push(key));
  texts.reader(createClient({ ...ports, transport, fieldManager: "test" })).start();
  return { texts, clock, held, server, woken, state: () => texts.state("ns", dockerfile) };
}

test("a text is read by its name in the namespace of who names it, and nothing is ever listed or watched", async () => {
  const { texts, clock, held, server, woken, state } = aWorld();
  held.set("files", "FROM a");
  expect(state()).toEqual({ is: "unread" });
  texts.want([dockerfile], behalf("a"));
  texts.want([dockerfile], behalf("b"));
  await clock.elapse(1_000);
  expect([state(), server.paths, woken]).toEqual([
    ...[{ is: "present", text: "FROM a" }, ["GET /api/v1/namespaces/ns/configmaps/files"], ["ns/a", "ns/b"]],
  ]);
});

test("a change is seen within a minute or so, and nobody is woken while there is none", async () => {
  const { texts, clock, held, woken, state } = aWorld();
  held.set("files", "FROM a");
  texts.want([dockerfile], behalf("a"));
  await clock.elapse(presentMs * 5);
  expect(woken).toEqual(["ns/a"]);
  held.set("files", "FROM b");
  await clock.elapse(presentMs * 1.25);
  expect([state(), woken]).toEqual([{ is: "present", text: "FROM b" }, ["ns/a", "ns/a"]]);
});

test("one that is missing says so, and is found soon after it was made", async () => {
  const { texts, clock, held, state } = aWorld();
  texts.want([dockerfile], behalf("a"));
  await clock.elapse(1_000);
  const because = 'ConfigMap "files" does not exist; create it with the key dockerfile';
  expect(state()).toEqual({ is: "absent", because });
  held.set("files", "FROM a");
  await clock.elapse(absentMs * 1.25);
  expect(state().is).toBe("present");
});

test("one that we may not read is told apart, and a server in trouble changes nothing that is known", async () => {
  const { texts, clock, held, server, state } = aWorld();
  held.set("files", "FROM a");
  texts.want([dockerfile], behalf("a"));
  await clock.elapse(1_000);
  server.status = 500;
  await clock.elapse(presentMs * 3);
  expect(state()).toEqual({ is: "present", text: "FROM a" });
  server.status = 403;
  await clock.elapse(3_600_000);
  expect(state()).toEqual({ is: "withheld" });
});

test("what nobody names any more is forgotten and not read", async () => {
  const { texts, clock, held, server, state } = aWorld();
  held.set("files", "FROM a");
  texts.want([dockerfile], behalf("a"));
  await clock.elapse(1_000);
  texts.want([], behalf("a"));
  await clock.elapse(presentMs * 10);
  expect([state(), server.paths.length]).toEqual([{ is: "unread" }, 1]);
});

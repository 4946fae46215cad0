// How writes are performed: in which order, what counts as done, and what one failure costs the others.
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/kube/client/create-client.ts";
import type { HttpAnswer, Transport } from "../../src/kube/transport.ts";
import { aServer } from "../api-server/testing/plain-kinds.ts";
import { seededRand } from "../seeded-rand.ts";
import { NAMESPACES, PODS } from "./api-resources.ts";
import { aPod } from "./testing/controllers-fixture.ts";
import { type Done, performWrites, type Write } from "./write.ts";

const never = new AbortController().signal;
const create = (name: string): Write => ({ do: "create", resource: PODS, object: aPod(name) });

function aClientOver(change: (send: () => Promise<HttpAnswer>, path: string) => Promise<HttpAnswer>) {
  const { transport, clock, server } = aServer();
  const changed: Transport = {
    request: (request) => change(() => transport.request(request), request.path),
    stream: (request) => transport.stream(request),
  };
  const client = createClient({ transport: changed, clock, rand: seededRand(1), fieldManager: "test" });
  return { client, clock, server };
}

describe("creates", () => {
  test("begin with one and double as long as they succeed", async () => {
    const held: (() => void)[] = [];
    const { client, clock } = aClientOver(async (send) => {
      await new Promise<void>((resolve) => void held.push(resolve));
      return send();
    });
    const work = performWrites(
      client,
      Array.from({ length: 7 }, (_, place) => create(`p-${place}`)),
      never,
    );
    const batches: number[] = [];
    for (let batch = 0; batch < 3; batch++) {
      await clock.settle();
      batches.push(held.length);
      for (const proceed of held.splice(0)) proceed();
    }
    await work;
    expect(batches).toEqual([1, 2, 4]);
  });

  test("stop at the first batch that is refused; other writes are done nevertheless", async () => {
    const refused = { status: 403, headers: {}, body: new TextEncoder().encode('{"kind":"Status","code":403}') };
    const tried: string[] = [];
    const { client, server } = aClientOver(async (send, path) => {
      tried.push(path);
      return path.includes("fieldManager=test") && tried.length > 1 ? refused : send();
    });
    const made = await client.create(PODS, aPod("old"));
    const writes: readonly Write[] = [
      ...[create("a"), create("b"), create("c")],
      { do: "delete", resource: PODS, key: "default/old", uid: made.metadata.uid },
    ];
    await expect(performWrites(client, writes, never)).rejects.toThrow("403");
    // One create of the test, one that was refused, one delete.
    expect(tried.length).toBe(3);
    expect(server.store.get("pods", "default/old")).toBeUndefined();
  });

  test("in a namespace that ends are not an error, since no later one could succeed", async () => {
    const { client } = aClientOver((send) => send());
    const metadata = { name: "team", finalizers: ["example.com/hold"] };
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
    await client.remove(NAMESPACES, "team");
    const done: Done[] = [];
    const object = { ...aPod("p"), metadata: { name: "p", namespace: "team" } };
    await performWrites(client, [{ do: "create", resource: PODS, object }], never, (each) => done.push(each));
    expect(done).toEqual([{ did: "nothing" }]);
  });
});

describe("deletes", () => {
  test("end the very object that was decided on, never its successor", async () => {
    const { client } = aClientOver((send) => send());
    const made = await client.create(PODS, aPod("p"));
    const done: Done[] = [];
    const remove = (uid: string) =>
      performWrites(client, [{ do: "delete", resource: PODS, key: "default/p", uid }], never, (each) =>
        done.push(each),
      );
    await remove("another");
    expect(await client.get(PODS, "default/p")).toBeDefined();
    await remove(made.metadata.uid);
    await remove(made.metadata.uid);
    expect(await client.get(PODS, "default/p")).toBeUndefined();
    expect(done.map(({ did }) => did)).toEqual(["nothing", "delete", "nothing"]);
  });
});

test("nothing is sent for a process that has ended", async () => {
  const { client, server } = aClientOver((send) => send());
  await expect(performWrites(client, [create("p")], AbortSignal.abort(new Error("ended")))).rejects.toThrow("ended");
  expect(server.store.get("pods", "default/p")).toBeUndefined();
});

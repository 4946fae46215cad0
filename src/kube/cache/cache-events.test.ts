// Whatever happens to the objects and to the connection, a cache equals a list at the same version.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Answer, aCache, aPod, bookmark, event, listed, quiet } from "../../../sim/stated-cache.ts";

const name = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), name, node: fc.constantFrom("w1", "w2") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("re-create" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bookmark" as const) }) },
  // The last event comes twice. (An older one would be out of order, and is a case of its own.)
  { weight: 2, arbitrary: fc.record({ do: fc.constant("repeat" as const) }) },
  // Breaks the connection; the next one may begin with events that were seen before.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("break" as const), picks: fc.array(fc.nat(), { maxLength: 4 }) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Sent = ReturnType<typeof event>;

/** Plays the steps on a model of the server: its objects in the end, and what it sends on each connection. */
function playOut(steps: readonly Step[]) {
  const objects = new Map<string, ReturnType<typeof aPod>>();
  const sent: Sent[] = [];
  const connections: Sent[][] = [[]];
  let version = 10;
  let made = 0;
  const send = (...events: readonly Sent[]) => connections.at(-1)?.push(...events);
  const commit = (type: string, object: ReturnType<typeof aPod>) => {
    const committed = event(type, object);
    sent.push(committed);
    send(committed);
  };
  const remove = (key: string) => {
    const held = objects.get(key);
    if (held === undefined || !objects.delete(key)) return;
    version += 1;
    commit("DELETED", { ...held, metadata: { ...held.metadata, resourceVersion: String(version) } });
  };
  const put = (key: string, node: string) => {
    const uid = objects.get(key)?.metadata.uid ?? `uid-${++made}`;
    const type = objects.has(key) ? "MODIFIED" : "ADDED";
    version += 1;
    objects.set(key, aPod(key, version, { uid, node }));
    commit(type, aPod(key, version, { uid, node }));
  };
  for (const each of steps) {
    const last = connections.at(-1)?.at(-1);
    if (each.do === "put") put(each.name, each.node);
    else if (each.do === "bookmark") send(bookmark(++version));
    else if (each.do === "repeat") send(...(last === undefined ? [] : [last]));
    else if (each.do === "break") {
      connections.push([]);
      send(...each.picks.flatMap((pick) => sent[pick % Math.max(1, sent.length)] ?? []));
    } else {
      remove(each.name);
      if (each.do === "re-create") put(each.name, "w3");
    }
  }
  return { objects, connections, version };
}

test("after any sequence of events, repeats and broken connections the cache equals a list at the same version", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { objects, connections, version } = playOut(steps);
      const answers: Answer[] = connections.map((events, index) => ({
        ...(index === 0 ? listed(10, [], ...events) : { body: events }),
        after: index === connections.length - 1 ? "stay" : "break",
      }));
      // Without haste or doubt on the side of the cache, each connection is followed by the next, and no list is asked for.
      const patient = { barrenWatchesMax: 1_000, delayMaxMs: 100 };
      const { cache, clock, changes, requests, stop, running } = aCache(
        (_query, index) => answers[index] ?? quiet,
        patient,
      );
      await clock.elapse(60_000);
      const held = Object.fromEntries([...objects.keys()].map((key) => [key, cache.get(`ns/${key}`)?.node]));
      expect(held).toEqual(Object.fromEntries([...objects].map(([key, { spec }]) => [key, spec.node])));
      expect([cache.size, cache.count("node", "w3")]).toEqual([
        objects.size,
        [...objects.values()].filter(({ spec }) => spec.node === "w3").length,
      ]);
      expect(Number(cache.resourceVersion)).toBe(version);
      expect(requests).toHaveLength(answers.length);
      expect(changes.filter(({ was, now }) => was === undefined && now === undefined)).toEqual([]);
      stop.abort();
      await running;
    }),
    { numRuns: 200 },
  );
});

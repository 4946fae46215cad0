// Plays a cache against a server that does everything wrong, in virtual time, and compares it with the truth: after every
// change with the truth at the same version, in the end with the truth itself. A failing seed is printed and replays exactly.
import { describe, expect, test } from "vitest";
import { type HistoryObject, ObjectHistory } from "../../../sim/object-history.ts";
import { ScriptedServer } from "../../../sim/scripted-server.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { NO_FAULTS, type ServerFaults } from "../../../sim/server-faults.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { Resource } from "../resource.ts";
import type { Feed } from "../watch/feed.ts";
import { runReflector } from "../watch/reflector.ts";
import { ObjectCodec } from "../wire/codec.ts";
import { type Cache, createCache } from "./cache.ts";
import { CACHE_LIMITS, type CacheLimits } from "./cache-limits.ts";
import type { Restart } from "./cache-pulse.ts";
import { type Change, type Entry, Store, type Verdict } from "./store.ts";

const MINUTE_MS = 60_000;
const things: Resource<HistoryObject> = {
  group: "",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: false,
};

type Seen = { readonly name: string; readonly uid: string; readonly version: string; readonly colour: string };
type Mirror = Pick<Cache<Seen, never>, "values" | "resourceVersion" | "changes" | "run">;
type World = { readonly clock: VirtualClock; readonly server: ScriptedServer; readonly history: ObjectHistory };
type MakeMirror = (world: World, seed: number) => Mirror;

const see = ({ metadata, spec }: HistoryObject): Seen => ({
  name: metadata.name,
  uid: metadata.uid,
  version: metadata.resourceVersion,
  colour: spec.colour,
});

const realCache =
  (limits: Partial<CacheLimits> = {}, onRestart: (restart: Restart) => void = () => undefined): MakeMirror =>
  ({ clock, server }, seed) =>
    createCache({
      ...{ transport: server, clock, rand: seededRand(seed + 1), resource: things, project: see, indexes: {} },
      limits: { pageSize: 5, ...limits },
      hooks: { onRestart },
    });

/** The same reflector over a store of another make. */
const withStore =
  (AnyStore: typeof Store<Seen>): MakeMirror =>
  ({ clock, server }, seed) => {
    const store = new AnyStore({ indexes: {}, objectsMax: 100, listenerFailed: () => undefined });
    const limits = { ...CACHE_LIMITS, pageSize: 5 };
    const ignore = () => undefined;
    const feed: Feed<Seen> = {
      ...{ transport: server, clock, rand: seededRand(seed + 1), resource: things, limits, store },
      codec: new ObjectCodec(),
      ...{ unreadable: ignore, called: ignore, heard: ignore, alive: ignore },
      read: ({ key, uid, resourceVersion, object }) => ({
        ...{ key, uid, resourceVersion, terms: [] },
        value: see(object as HistoryObject),
      }),
    };
    return {
      values: () => store.values(),
      get resourceVersion() {
        return store.resourceVersion;
      },
      changes: (listener) => store.changes(listener),
      run: (signal) => runReflector(feed, { listed: ignore, moved: ignore }, signal),
    };
  };

/** Faults of connections, servers and replicas: what is said may be late, torn or old, but it was true once. */
const honest: ServerFaults = {
  ...NO_FAULTS,
  ...{ unreachable: 0.2, mute: 0.05, failed: 0.2, overloaded: 0.2, webPage: 0.1, answerLost: 0.3, staleList: 0.5 },
  ...{ broken: 0.9, truncated: 0.7, halfOpen: 0.3, garbage: 0.5, replay: 1, duplicate: 0.3 },
};

/** Servers that break their word: events get lost or change places. Only a list can heal that. */
const dishonest: ServerFaults = { ...honest, lost: 0.05, swapped: 0.3 };

type Play = {
  readonly seed: number;
  readonly faults?: ServerFaults;
  readonly mirror?: MakeMirror;
  readonly calmMs?: number;
  /** Is the cache to be compared with the truth at its version after each change, or only in the end? */
  readonly judges?: boolean;
};

/** One run: some minutes of trouble, then quiet; gives what was wrong and everything that happened. */
async function play({
  seed,
  faults = honest,
  mirror: make = realCache(),
  calmMs = 8 * MINUTE_MS,
  judges = true,
}: Play) {
  const clock = new VirtualClock();
  const dice = seededRand(seed);
  const history = new ObjectHistory();
  for (let count = 0; count < 12; count++) history.put(`thing-${count}`, "white", 0);
  const server = new ScriptedServer({
    ...{ clock, rand: seededRand(seed + 2), history },
    ...{ lagsMs: [0, 200, 5_000, 30_000], streamsLists: dice.next() < 0.6 },
  });
  // Each run has its own mixture: some faults often, some rarely, some not at all.
  server.faults = Object.fromEntries(
    Object.entries(faults).map(([name, rate]) => [name, dice.next() < 0.35 ? 0 : rate * (0.3 + 0.7 * dice.next())]),
  ) as ServerFaults;
  const stop = new AbortController();
  const mirror = make({ clock, server, history }, seed);
  const problems: string[] = [];
  const told: string[] = [];
  let version = 0;
  mirror.changes((change) => {
    told.push(`${clock.monotonicMs()} ${change.key} ${change.was?.version} -> ${change.now?.version}`);
    if (judges) problems.push(...judge(change, mirror, history));
    if (Number(mirror.resourceVersion) < version) problems.push(`from ${version} back to ${mirror.resourceVersion}`);
    version = Number(mirror.resourceVersion);
  });
  const running = mirror.run(stop.signal);
  const stopWork = keepChanging({ clock, server, history }, dice);
  await clock.elapse(10 * MINUTE_MS);
  stopWork();
  server.faults = NO_FAULTS;
  await clock.elapse(calmMs);
  problems.push(...differences(mirror, history.at(history.version)).map((each) => `in the end: ${each}`));
  stop.abort();
  await running;
  const requests = server.trace.filter((line) => / (LIST|WATCH) /.test(line)).length;
  if (server.openWatches > 0) problems.push(`${server.openWatches} watches are still open`);
  return { problems: [...new Set(problems)], trace: [...server.trace, ...told].join("\n"), requests };
}

/** Creates, changes, deletes and re-creates objects, forgets history, until the returned function is called. */
function keepChanging({ clock, server, history }: World, dice: { next(): number }): () => void {
  let isOver = false;
  const pick = (below: number) => Math.floor(dice.next() * below);
  const write = (method: "PUT" | "DELETE", name: string) => {
    const body = JSON.stringify({ name, colour: `colour-${pick(1_000)}` });
    server.request({ method, path: `/api/v1/things/${name}`, headers: {}, body, lane: "calls" }).catch(() => undefined);
  };
  const work = () => {
    if (isOver) return;
    const name = `thing-${pick(20)}`;
    const choice = dice.next();
    if (choice < 0.55) write("PUT", name);
    else if (choice < 0.75) write("DELETE", name);
    else if (choice < 0.85) {
      write("DELETE", name);
      write("PUT", name);
    } else if (choice < 0.9) history.skipVersion();
    else history.compact(history.version - pick(2));
    clock.after(pick(6_000), work);
  };
  work();
  return () => {
    isOver = true;
  };
}

/** What is wrong with a change, given the truth. */
function judge({ key, was, now }: Change<Seen>, mirror: Mirror, history: ObjectHistory): readonly string[] {
  const problems = differences(mirror, history.at(Number(mirror.resourceVersion)));
  if (was !== undefined && now !== undefined && was.uid !== now.uid) problems.push(`${key} changed its UID`);
  if (was !== undefined && now !== undefined && Number(was.version) > Number(now.version))
    problems.push(`${key} went back`);
  if (was !== undefined && now === undefined && !history.isGone(was.uid))
    problems.push(`${key} was told gone and is not`);
  return problems.map((problem) => `at ${mirror.resourceVersion}: ${problem}`);
}

function differences(mirror: Mirror, truth: readonly HistoryObject[]): string[] {
  const wanted = new Map(truth.map((object) => [object.metadata.name, see(object)]));
  const held = new Map([...mirror.values()].map((seen) => [seen.name, seen]));
  return [
    ...[...wanted.keys()].filter((name) => !held.has(name)).map((name) => `missing ${name}`),
    ...[...held.keys()].filter((name) => !wanted.has(name)).map((name) => `ghost ${name}`),
    ...[...held].flatMap(([name, seen]) => {
      const want = wanted.get(name);
      return want === undefined || JSON.stringify(want) === JSON.stringify(seen) ? [] : [`stale ${name}`];
    }),
  ];
}

const seeds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** What goes wrong, by seed. */
async function problemsOf(count: number, how: Omit<Play, "seed">): Promise<Record<number, readonly string[]>> {
  const found: Record<number, readonly string[]> = {};
  for (const seed of seeds(count)) {
    const { problems } = await play({ ...how, seed });
    if (problems.length > 0) found[seed] = problems;
  }
  return found;
}

describe("a cache under chaos", { timeout: 60_000 }, () => {
  test("is at every moment equal to the truth at its version, and in the end to the truth", async () => {
    expect(await problemsOf(200, {})).toEqual({});
  });

  test("is in the end equal to the truth even if the server loses or swaps events", async () => {
    const calmMs = CACHE_LIMITS.relistMs + CACHE_LIMITS.watchMaxSeconds * 1_000 + MINUTE_MS;
    expect(await problemsOf(20, { faults: dishonest, calmMs, judges: false })).toEqual({});
  });

  test("plays the same seed the same way, byte for byte", async () => {
    for (const seed of seeds(5)) {
      const [once, again, other] = [await play({ seed }), await play({ seed }), await play({ seed: seed + 100 })];
      expect(again.trace).toBe(once.trace);
      expect(other.trace).not.toBe(once.trace);
    }
  });

  test("meets every fault and every way for an attempt to end that a server can cause", async () => {
    const met = new Set<string>();
    const mirror: MakeMirror = (world, seed) => realCache({}, ({ reason }) => met.add(reason))(world, seed);
    for (const seed of seeds(60)) {
      const { trace } = await play({ seed, mirror, faults: dishonest, judges: false });
      for (const [, fault = ""] of trace.matchAll(/^\d+ {3}(\w+)$/gm)) met.add(fault);
    }
    const faults = Object.keys(dishonest).filter((name) => dishonest[name as keyof ServerFaults] > 0);
    const ends = [
      "Listed",
      "Ended",
      "Broken",
      "Unreachable",
      "Silent",
      "Expired",
      "Invalid",
      "Overloaded",
      "ServerFailed",
    ];
    expect([...faults, ...ends, "Garbled", "OutOfOrder", "StaleList"].filter((each) => !met.has(each))).toEqual([]);
  });
});

describe("the chaos finds", { timeout: 60_000 }, () => {
  class ClearingStore extends Store<Seen> {
    override replace(list: ReadonlyMap<string, Entry<Seen>>, version: string): void {
      super.replace(new Map(), version);
      super.replace(list, version);
    }
  }

  class HoardingStore extends Store<Seen> {
    override replace(list: ReadonlyMap<string, Entry<Seen>>, version: string): void {
      super.replace(new Map([...entriesOf(this), ...list]), version);
    }
  }

  class GullibleStore extends Store<Seen> {
    override put(entry: Entry<Seen>): Verdict {
      super.replace(new Map([...entriesOf(this), [entry.key, entry]]), entry.resourceVersion);
      return "done";
    }
  }

  const entriesOf = (store: Store<Seen>) =>
    [...store.values()].flatMap(({ name }) => {
      const entry = store.entry(name);
      return entry === undefined ? [] : [[name, entry] as const];
    });

  test.each([
    {
      name: "a store that is cleared before each list",
      mirror: withStore(ClearingStore),
      problem: /told gone and is not/,
    },
    { name: "a store that forgets what a list lacks", mirror: withStore(HoardingStore), problem: /in the end: ghost/ },
    { name: "a store that believes old events", mirror: withStore(GullibleStore), problem: /went back|stale|ghost/ },
    {
      name: "a reflector that waits for ever for a silent server",
      mirror: realCache({ silenceMs: 1e9, answerMs: 1e9 }),
      problem: /in the end: (stale|missing|ghost)/,
    },
    {
      name: "a cache that believes any list",
      mirror: realCache({ setBackLists: 0, setBackAfterMs: -1e9 }),
      problem: /^from .* back to/,
    },
  ])("$name", async ({ mirror, problem }) => {
    const found = Object.values(await problemsOf(30, { mirror })).flat();
    expect(found.filter((each) => problem.test(each))).not.toEqual([]);
  });
});

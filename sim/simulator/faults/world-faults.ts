// What befalls a cluster by itself, whatever runs in it: processes die, hang or run twice, clocks jump, certificates expire,
// history is compacted, pods are deleted and objects are written by others. Scenarios choose from these and add their own.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { keyOfObject } from "../../api-server/api-object.ts";
import { RESTART_MS } from "../host.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { type Fault, slowMsOf } from "./faults.ts";

const keptRevisions = [0, 3, 10, 30];
/** As long as messages can be late, and much longer: leases run out, watches are taken for dead. */
const hangsMs = [400, 800, 1_600, 3_000, 6_000, 12_000, 24_000, 45_000, 70_000, 120_000];
/** A process that dies as soon as it lives gets no further than to its lists, or to its first writes. */
const livesMs = [5, 50, 200, 1_000, 3_000];
const CRASHES_MAX = 8;
const wallJumpsMs = [-3_600_000, 3_600_000, -5_000, 5_000, -86_400_000];
const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

/** The process is killed, and started again. */
export function dies(role: string): WorldFault {
  return {
    ...{ name: `${role}-dies`, rate: 0.05 },
    strike: (world) => {
      const life = world.hosts.get(role)?.lives.at(-1);
      life?.crash();
      return life?.name;
    },
  };
}

/** It dies again and again, each time soon after it was started. */
export function crashLoops(role: string): WorldFault {
  return {
    ...{ name: `${role}-crash-loops`, rate: 0.02 },
    strike: (world, fault) => {
      const lifeMs = livesMs[fault.pick(livesMs.length)] ?? 0;
      const times = 2 + fault.pick(CRASHES_MAX - 1);
      const kill = (left: number) => {
        if (left === 0 || world.faults.areOver) return;
        world.hosts.get(role)?.lives.at(-1)?.crash();
        world.clock.after(RESTART_MS + lifeMs, () => kill(left - 1));
      };
      kill(times);
      return `${times} times after ${lifeMs} ms`;
    },
  };
}

/** Its certificate, or the server's, has expired, and is renewed after a while: until then no new connection comes about. */
export function certificateExpires(role: string): WorldFault {
  return {
    ...{ name: `${role}-certificate-expires`, rate: 0.02 },
    strike: (world, fault) => {
      const forMs = slowMsOf(fault) * 2;
      world.hosts.get(role)?.distrust(forMs);
      return `for ${forMs} ms`;
    },
  };
}

/** As SIGSTOP and SIGCONT do: it comes back and believes that it is still then. */
export function hangs(role: string): WorldFault {
  return {
    ...{ name: `${role}-hangs`, rate: 0.05 },
    strike: (world, fault) => {
      const life = world.hosts.get(role)?.lives.find(({ isPaused }) => !isPaused);
      if (life === undefined) return undefined;
      const forMs = hangsMs[fault.pick(hangsMs.length)] ?? 0;
      life.pause();
      world.clock.after(forMs, () => life.resume());
      return `${life.name} for ${forMs} ms`;
    },
  };
}

/** The network holds everything back, in both directions: what was sent before still arrives, and far too late. */
export function cutOff(role: string): WorldFault {
  return {
    ...{ name: `${role}-cut-off`, rate: 0.03 },
    strike: (world, fault) => {
      const forMs = slowMsOf(fault) * 3;
      world.hosts.get(role)?.cutOff(forMs);
      return `for ${forMs} ms`;
    },
  };
}

/** Between two streams that are clogged, or let go. */
const SWIZZLE_MS = 150;

/** Swizzle-clogging: its streams fall silent one after the other, and are let go one after the other, in another order. */
export function swizzles(role: string): WorldFault {
  return {
    ...{ name: `${role}-swizzles`, rate: 0.04 },
    strike: (world, fault) => {
      const host = world.hosts.get(role);
      const streams = host?.streams ?? [];
      const left = [...streams];
      const letGo = streams.map(() => left.splice(fault.pick(left.length), 1).join());
      const forMs = slowMsOf(fault);
      for (const [at, path] of streams.entries()) {
        const [inMs, endMs] = [at * SWIZZLE_MS, streams.length * SWIZZLE_MS + forMs + letGo.indexOf(path) * SWIZZLE_MS];
        host?.clog(path, inMs, endMs - inMs);
      }
      return streams.length === 0 ? undefined : `lets go ${letGo.join(", ")} after ${forMs} ms`;
    },
  };
}

/** A second one starts while the first still goes on, as when a leader does not know yet that it is none. */
export function runsTwice(role: string): WorldFault {
  return {
    ...{ name: `${role}-runs-twice`, rate: 0.04 },
    strike: (world, fault) => {
      const host = world.hosts.get(role);
      const [first, ...others] = host?.lives ?? [];
      if (host === undefined || first === undefined || others.length > 0) return undefined;
      const forMs = slowMsOf(fault);
      host.double();
      world.clock.after(forMs, () => first.crash());
      return `${first.name} goes on for ${forMs} ms`;
    },
  };
}

/** Somebody sets the time of its machine. */
export function wallJumps(role: string): WorldFault {
  return {
    ...{ name: `${role}-wall-jumps`, rate: 0.05 },
    strike: (world, fault) => {
      const life = world.hosts.get(role)?.lives.at(-1);
      const byMs = wallJumpsMs[fault.pick(wallJumpsMs.length)] ?? 0;
      life?.clock.jumpWall(byMs);
      return life === undefined ? undefined : `${life.name} by ${byMs} ms`;
    },
  };
}

/** History is forgotten: who reads on from there is told 410. */
export const compaction: WorldFault = {
  ...{ name: "compaction", rate: 0.1 },
  strike: (world, fault) => {
    const revision = world.server.revision() - (keptRevisions[fault.pick(keptRevisions.length)] ?? 0);
    if (revision <= 0) return undefined;
    world.server.compact(revision);
    return `up to ${revision}`;
  },
};

/** Somebody deletes a pod, now and then without grace. */
export const podMonkey: WorldFault = {
  ...{ name: "pod-monkey", rate: 0.1 },
  strike: (world, fault) => {
    const key = anyKey(world, "pods", fault);
    if (key === undefined) return undefined;
    const isRough = fault.pick(4) === 1;
    act(world, world.client("monkey").remove(pods, key, isRough ? { gracePeriodSeconds: 0 } : {}));
    return isRough ? `${key} without grace` : key;
  },
};

/** Somebody else writes to an object, so that whoever holds an old version of it meets a conflict. */
export function otherWriter(resource: Resource, table: string): WorldFault {
  return {
    ...{ name: `writes-${resource.plural}`, rate: 0.15 },
    strike: (world, fault) => {
      const key = anyKey(world, table, fault);
      if (key === undefined) return undefined;
      const body = { metadata: { annotations: { "sim/touched": String(world.clock.monotonicMs()) } } };
      act(world, world.client("other").patch(resource, key, { type: "merge", body }));
      return key;
    },
  };
}

/** Any object of a table, in a fixed order. */
export function anyKey(world: World, table: string, fault: Fault): string | undefined {
  const keys = [...world.state.objects(table)].map((object: JsonObject) => keyOfObject(object));
  return keys.length === 0 ? undefined : keys[fault.pick(keys.length)];
}

/** What the world itself does may find that things have changed meanwhile; that is no news. */
export function act(world: World, work: Promise<unknown>): void {
  work.catch((error: unknown) => world.trace.add("world", `in vain: ${String(error)}`));
}

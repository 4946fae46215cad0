import { expect, test } from "vitest";
import type { Listener } from "../../kube/cache/store.ts";
import { cacheSource } from "./cache-source.ts";

type Pod = { readonly owner: string; readonly phase: string };

function aCache(...pods: readonly Pod[]) {
  const listeners = new Set<Listener<Pod>>();
  const cache = {
    values: () => pods,
    changes: (listener: Listener<Pod>) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (was: Pod | undefined, now: Pod | undefined, initial = false) => {
    for (const listener of listeners) listener({ key: "k", was, now, initial });
  };
  return { cache, change };
}

function offered(...pods: readonly Pod[]) {
  const { cache, change } = aCache(...pods);
  const got: string[] = [];
  const isWorthALook = (was: Pod | undefined, now: Pod | undefined) =>
    was?.phase !== now?.phase || was?.owner !== now?.owner;
  const source = cacheSource(cache, ({ owner }: Pod) => [owner], { isWorthALook });
  const end = source.start((key, initial) => got.push(`${key}${initial ? " initial" : ""}`));
  return { got, change, end };
}

const running = (owner: string): Pod => ({ owner, phase: "Running" });

test("what is there comes first, as initial, then what changes", () => {
  const { got, change } = offered(running("a"), running("b"));
  change(undefined, running("c"));
  change(undefined, running("d"), true);
  expect(got).toEqual(["a initial", "b initial", "c", "d initial"]);
});

test("an object that changes hands wakes both owners, one that stays wakes its owner once", () => {
  const { got, change } = offered();
  change(running("a"), running("b"));
  change(running("a"), { owner: "a", phase: "Failed" });
  change(running("c"), undefined);
  expect(got).toEqual(["a", "b", "a", "c"]);
});

test("changes that nobody reads wake nobody, and nothing comes after the end", () => {
  const { got, change, end } = offered();
  change(running("a"), running("a"));
  end();
  change(running("a"), undefined);
  expect(got).toEqual([]);
});

test("a value that cannot be mapped costs its own wake-up and is told; a filter that fails lets through", () => {
  const { cache, change } = aCache(running("a"), running("bad"), running("b"));
  const got: string[] = [];
  const failures: unknown[] = [];
  const trap = new Error("no owner");
  const keysOf = ({ owner }: Pod) => {
    if (owner === "bad") throw trap;
    return [owner];
  };
  const isWorthALook = () => {
    throw trap;
  };
  const source = cacheSource(cache, keysOf, { isWorthALook, onFailure: (error) => failures.push(error) });
  source.start((key) => got.push(key));
  change(running("bad"), running("c"));
  expect(got).toEqual(["a", "b", "c"]);
  expect(failures).toEqual([trap, trap, trap]);
});

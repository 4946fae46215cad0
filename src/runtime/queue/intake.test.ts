import { array, constant, integer, oneof, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { Intake, type Source } from "./intake.ts";

/** Keys that exist, in the order in which they appeared, as a cache would hold them. */
class Existing implements Source {
  readonly keys = new Set<string>();
  #offer: ((key: string, initial: boolean) => void) | undefined;

  start(offer: (key: string, initial: boolean) => void): () => void {
    this.#offer = offer;
    for (const key of this.keys) offer(key, true);
    return () => {
      this.#offer = undefined;
    };
  }

  change(key: string): void {
    this.keys.add(key);
    this.#offer?.(key, false);
  }

  remove(key: string): void {
    this.keys.delete(key);
    this.#offer?.(key, false);
  }
}

test("existing keys come as backlog, changes as live, and nothing after stop", () => {
  const offered: string[] = [];
  const source = new Existing();
  source.keys.add("a");
  const intake = new Intake([source], (key, { priority }) => offered.push(`${key} ${priority}`) > 0);
  intake.start();
  source.change("b");
  intake.stop();
  source.change("c");
  expect(offered).toEqual(["a backlog", "b live"]);
});

test("a turn that should begin at a key that is gone is followed by one that offers all", () => {
  const source = new Existing();
  for (const key of ["a", "b", "c", "d"]) source.keys.add(key);
  let room = 2;
  const admitted: string[] = [];
  const intake = new Intake([source], (key) => room-- > 0 && admitted.push(key) > 0);
  intake.start();
  room = 10;
  source.remove("c");
  intake.catchUp();
  expect([admitted, intake.isBehind]).toEqual([["a", "b", "c"], true]);
  intake.catchUp();
  expect([admitted.slice(3), intake.isBehind]).toEqual([["a", "b", "d"], false]);
});

test("a turn that should begin at a key that went and came back is followed by one that offers all", () => {
  const source = new Existing();
  for (const key of ["a", "b", "c"]) source.keys.add(key);
  let room = 1;
  const admitted: string[] = [];
  const intake = new Intake([source], (key) => room-- > 0 && admitted.push(key) > 0);
  intake.start();
  room = 10;
  source.remove("b");
  source.change("b");
  intake.catchUp();
  intake.catchUp();
  expect([admitted, intake.isBehind]).toEqual([["a", "b", "b", "b", "a", "c", "b"], false]);
});

const step = oneof(
  record({ do: constant("change"), key: integer({ min: 0, max: 19 }) }),
  record({ do: constant("remove"), key: integer({ min: 0, max: 19 }) }),
  record({ do: constant("drain"), key: constant(0) }),
);

test("with room for three of twenty keys, every key that exists at the end was seen after its last change", {
  timeout: 30_000,
}, async () => {
  await verify(
    property(array(step, { maxLength: 80, size: "max" }), (steps) => {
      const source = new Existing();
      const waiting = new Set<string>();
      const seenAt = new Map<string, number>();
      const changedAt = new Map<string, number>();
      let now = 0;
      const intake = new Intake([source], (key) => {
        if (waiting.size >= 3 && !waiting.has(key)) return false;
        waiting.add(key);
        return true;
      });
      const drain = () => {
        for (const key of [...waiting].slice(0, 1)) {
          seenAt.set(key, now++);
          waiting.delete(key);
        }
        if (intake.isBehind && waiting.size <= 1) intake.catchUp();
      };
      intake.start();
      for (const { do: action, key } of steps) {
        if (action !== "drain") changedAt.set(`k${key}`, now++);
        if (action === "change") source.change(`k${key}`);
        if (action === "remove") source.remove(`k${key}`);
        if (action === "drain") drain();
      }
      for (let turns = 0; waiting.size > 0 || intake.isBehind; turns++) {
        expect(turns, "catching up comes to an end").toBeLessThan(200);
        drain();
      }
      for (const key of source.keys) expect(seenAt.get(key)).toBeGreaterThan(changedAt.get(key) ?? 0);
    }),
    { numRuns: 1_000 },
  );
});

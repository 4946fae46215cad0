import { array, constant, integer, oneof, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { type Delayed, DelayHeap } from "./delay-heap.ts";

const step = oneof(
  record({ do: constant("put"), who: integer({ min: 0, max: 15 }), dueMs: integer({ min: 0, max: 50 }) }),
  record({ do: constant("remove"), who: integer({ min: 0, max: 15 }), dueMs: constant(0) }),
);

test("the first member is always one with the smallest due time, whatever was put, moved or removed", async () => {
  await verify(
    property(array(step, { maxLength: 60 }), (steps) => {
      const heap = new DelayHeap<Delayed>();
      const members: Delayed[] = Array.from({ length: 16 }, () => ({ dueMs: 0, place: -1 }));
      const inside = new Set<Delayed>();
      for (const { do: action, who, dueMs } of steps) {
        const member = members[who];
        if (member === undefined) continue;
        if (action === "put") {
          member.dueMs = dueMs;
          heap.put(member);
          inside.add(member);
        } else {
          heap.remove(member);
          inside.delete(member);
        }
        expect(heap.size).toBe(inside.size);
        const smallest = Math.min(...[...inside].map((one) => one.dueMs));
        expect(heap.first()?.dueMs ?? Number.POSITIVE_INFINITY).toBe(smallest);
      }
    }),
  );
});

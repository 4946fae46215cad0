import { array, constant, integer, oneof, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { Fifo } from "./fifo.ts";

const step = record({
  do: oneof(constant("push"), constant("push"), constant("shift"), constant("remove"), constant("take")),
  who: integer({ min: 0, max: 9 }),
});

test("members leave in the order in which they came, however pushes, shifts and removals are mixed", async () => {
  await verify(
    property(array(step, { maxLength: 200 }), (steps) => {
      const fifo = new Fifo<number>();
      let model: number[] = [];
      for (const { do: action, who } of steps) {
        if (action === "push") {
          fifo.push(who);
          if (!model.includes(who)) model.push(who);
        } else if (action === "remove") {
          fifo.remove(who);
          model = model.filter((one) => one !== who);
        } else if (action === "take") {
          expect(fifo.take(who)).toBe(model.splice(who, 1)[0]);
        } else {
          expect(fifo.shift()).toBe(model.shift());
        }
        expect([...fifo.values()]).toEqual(model);
        expect(fifo.size).toBe(model.length);
      }
    }),
  );
});

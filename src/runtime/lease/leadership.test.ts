import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { logToList } from "../log/testing/log-to-list.ts";
import { soleLeadership, type Term } from "./leadership.ts";

function aSoleReplica() {
  const clock = new VirtualClock();
  const { log, lines } = logToList();
  const leadership = soleLeadership({ clock, log });
  const terms: Term[] = [];
  const mayWrite = () => terms.some(isOpen);
  return { clock, lines, leadership, terms, mayWrite };
}

function isOpen({ fence }: Term): boolean {
  try {
    fence();
    return true;
  } catch {
    return false;
  }
}

test("a single replica without a lease leads from start to stop, and writes until its work has ended", async () => {
  const { clock, leadership, terms, mayWrite } = aSoleReplica();
  leadership.start((term) => {
    terms.push(term);
    return new Promise((resolve) => term.signal.addEventListener("abort", () => clock.after(500, resolve)));
  });
  expect([leadership.readings().isLeading, mayWrite()]).toEqual([true, true]);
  const stopped = leadership.stop(1_000);
  await clock.elapse(499);
  expect(mayWrite()).toBe(true);
  await clock.elapse(1);
  await stopped;
  expect([leadership.readings(), mayWrite()]).toEqual([{ isLeading: false, overdueMs: 0 }, false]);
  expect(clock.timerCount).toBe(0);
});

test("work that does not end is waited for no longer than asked; then nothing more is written", async () => {
  const { clock, leadership, lines, terms, mayWrite } = aSoleReplica();
  leadership.start((term) => {
    terms.push(term);
    return new Promise(() => undefined);
  });
  const stopped = leadership.stop(1_000);
  await clock.elapse(1_000);
  await stopped;
  await clock.elapse(300);
  expect([leadership.readings(), mayWrite()]).toEqual([{ isLeading: false, overdueMs: 300 }, false]);
  expect(lines.map(({ message }) => message)).toEqual(["work goes on after the replica was told to stop"]);
});

test.each([
  ["rejects", () => Promise.reject(new Error("no luck"))],
  [
    "throws",
    () => {
      throw new Error("no luck");
    },
  ],
])("work that %s ends the term and is told, not thrown at the process", async (_, lead) => {
  const { clock, leadership, lines, terms, mayWrite } = aSoleReplica();
  leadership.start((term) => {
    terms.push(term);
    return lead();
  });
  await clock.settle();
  expect([leadership.readings().isLeading, mayWrite()]).toEqual([false, false]);
  expect(lines).toMatchObject([{ level: "error", fields: { error: new Error("no luck") } }]);
  await leadership.stop(0);
});

test("a replica that never started stops at once", async () => {
  const { leadership } = aSoleReplica();
  await leadership.stop(1_000);
  expect(leadership.readings()).toEqual({ isLeading: false, overdueMs: 0 });
});

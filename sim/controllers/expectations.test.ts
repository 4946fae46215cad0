// When a controller may trust its picture again, as a table of deeds and what the cache shows.
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { Expectations, type Sight } from "./expectations.ts";
import { podView } from "./testing/views-fixture.ts";
import type { Done } from "./write.ts";

const metadata = { name: "p", namespace: "default", uid: "uid-p", resourceVersion: "5" };
const created: Done = { did: "create", object: { apiVersion: "v1", kind: "Pod", metadata } };
const deleted: Done = { did: "delete", key: "default/p", uid: "uid-p" };
const patched: Done = { did: "patch", key: "default/p", version: "5" };
const seeing = (resourceVersion: string, pod?: ReturnType<typeof podView>): Sight => ({
  resourceVersion,
  get: () => pod,
});
const another = podView("p", { meta: { uid: "uid-other" } });

describe("a deed is seen", () => {
  test.each<[string, Done, Sight, boolean]>([
    ["not before the new object shows", created, seeing("4"), false],
    ["when the new object shows", created, seeing("4", podView("p")), true],
    ["not when another of that name shows", created, seeing("4", another), false],
    ["when the picture is as new as the object, which is then gone again", created, seeing("5"), true],
    ["not while the deleted object shows as it was", deleted, seeing("9", podView("p")), false],
    ["when the deleted object shows its end", deleted, seeing("4", podView("p", { isTerminating: true })), true],
    ["when the deleted object is gone", deleted, seeing("4"), true],
    ["when another has the name of the deleted one", deleted, seeing("4", another), true],
    ["not before the version of a change", patched, seeing("4", podView("p")), false],
    ["with the version of a change", patched, seeing("5", podView("p")), true],
    ["at once when nothing was done", { did: "nothing" }, seeing(""), true],
  ])("%s", (_, done, sight, isMet) => {
    const expectations = new Expectations(new VirtualClock());
    expectations.note("default/owner", done);
    expect(expectations.areMet("default/owner", sight)).toBe(isMet);
    expect(expectations.areMet("default/other", sight)).toBe(true);
  });
});

test("all deeds must be seen, each of them once", () => {
  const expectations = new Expectations(new VirtualClock());
  expectations.note("o", created);
  expectations.note("o", patched);
  expect(expectations.areMet("o", seeing("4", podView("p")))).toBe(false);
  // The object has gone again since it was seen; only the change is still waited for.
  expect(expectations.areMet("o", seeing("4"))).toBe(false);
  expect(expectations.areMet("o", seeing("5"))).toBe(true);
});

test("a deed that nobody ever sees is given up after five minutes", async () => {
  const clock = new VirtualClock();
  const expectations = new Expectations(clock);
  expectations.note("o", created);
  await clock.elapse(299_000);
  expect(expectations.areMet("o", seeing("4"))).toBe(false);
  await clock.elapse(2_000);
  expect(expectations.areMet("o", seeing("4"))).toBe(true);
});

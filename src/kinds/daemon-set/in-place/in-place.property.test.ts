import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { one, opened, templateOf } from "../testing/in-place-rollout.ts";

describe("whatever happens", () => {
  const version = fc.integer({ min: 1, max: 3 });
  const template = fc.record({ app: version, db: version, log: version });
  const happening = fc.oneof(
    fc.record({ what: fc.constant("act" as const), steps: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ what: fc.constant("sync" as const), only: fc.subarray(["app", "db", "log"]) }),
    fc.record({ what: fc.constant("target" as const), to: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ what: fc.constant("registry" as const), lacks: fc.constantFrom("db:2", "app:3") }),
  );

  test("a crash after any step, a late kubelet and new targets end in the state of the last target, and in rest", () => {
    fc.assert(
      fc.property(
        fc.array(template, { minLength: 3, maxLength: 3 }),
        fc.array(happening, { maxLength: 14 }),
        fc.record({ areDigestsEqual: fc.boolean(), isMirrored: fc.boolean() }),
        (versions, happenings, { areDigestsEqual, isMirrored }) => {
          const priorities = { db: "9", app: "5" };
          const templates = Object.fromEntries(
            versions.map(({ app, db, log }, index) => [
              `r${index}`,
              templateOf({ app: `app:${app}`, db: `db:${db}`, log: `log:${log}` }, priorities),
            ]),
          );
          const rollout = opened(templates);
          rollout.pod.isMirrored = isMirrored;
          if (areDigestsEqual) rollout.pod.digests = new Proxy({}, { get: () => "sha256:same" });
          // What runs from the beginning has such digests, too: no container changes its own while it runs.
          rollout.pod.sync();
          for (const each of happenings) {
            if (each.what === "act") rollout.act(each.steps);
            else if (each.what === "sync") rollout.pod.sync(each.only);
            else if (each.what === "target") rollout.target = `r${each.to}`;
            else rollout.pod.missing.add(each.lacks);
          }
          rollout.pod.missing.clear();
          rollout.settle();
          const { app, db, log } = versions[Number(rollout.target.slice(1))] ?? { app: 0, db: 0, log: 0 };
          expect(rollout.pod.images).toEqual({ app: `app:${app}`, db: `db:${db}`, log: `log:${log}` });
          expect(rollout.revision).toBe(rollout.target);
          expect(rollout.pod.isReady).toBe(true);
          expect(rollout.look()).toEqual({ is: "settled", because: "", steps: [] });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a pod serves with the image that its revision names, or its gate is shut", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 14 }), (happenings) => {
        const rollout = opened({ r0: one("a:1"), r1: one("a:2"), r2: one("a:3") });
        for (const each of happenings) {
          if (each.what === "act") rollout.act(each.steps);
          else if (each.what === "sync") rollout.pod.sync();
          else if (each.what === "target") rollout.target = `r${each.to}`;
          const wanted = `a:${Number(rollout.revision.slice(1)) + 1}`;
          if (rollout.pod.isReady) expect(rollout.pod.images).toEqual({ main: wanted });
        }
      }),
      { numRuns: 500 },
    );
  });
});

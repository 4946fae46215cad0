import { describe, expect, test } from "vitest";
import { toyKind } from "../../../sim/scenarios/operator/toy-kind.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind, Rival } from "../../kinds/kind.ts";
import { planBuilds } from "../../kinds/module/build/plan-builds.ts";
import { createModuleKind } from "../../kinds/module/module-kind.ts";
import { type LeaseSpec, readLease } from "../../runtime/lease/lease-record.ts";
import { judgeRival, type RivalTraces } from "./judge-rival.ts";

const rival: Rival = {
  ...{ name: "Fisher", lease: { namespace: "fishing", name: "boat" } },
  webhooks: { mutating: ["net"], validating: [] },
};
const kind: Kind = { ...toyKind, rival };
const NOON_MS = Date.parse("2026-03-01T12:00:00Z");
const nothing: RivalTraces = { lease: undefined, renewTime: undefined, configurations: new Map() };

function leased(spec: LeaseSpec, sinceMs = 0): RivalTraces {
  const metadata = { name: "boat", namespace: "fishing" };
  const record = readLease({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  return { ...nothing, lease: { record, sinceMs }, renewTime: spec.renewTime };
}

function hooked(apiGroups: readonly string[], resources: readonly string[]): RivalTraces {
  const configuration: JsonObject = { webhooks: [{ name: "one", rules: [{ apiGroups, resources }] }] };
  return { ...nothing, configurations: new Map([["net", configuration]]) };
}

const held: LeaseSpec = {
  ...{ holderIdentity: "boat-1", leaseDurationSeconds: 15, renewTime: "2026-03-01T11:59:58.000000Z" },
};

test("KMM's manager is the rival of Module, by its Lease and by the webhook of its own installation", () => {
  const module = createModuleKind({ planBuilds });
  const now = { monotonicMs: 0, wallMs: NOON_MS };
  const { rival: kmm = rival } = module;
  const leave = judgeRival(module, kmm, leased({ ...held, holderIdentity: "kmm-operator-controller-1" }), now)?.because;
  expect(leave).toBe(
    'KMM is at work: "kmm-operator-controller-1" renews Lease kmm-operator-system/kmm.sigs.x-k8s.io; take it out of service, or run with --take-over Module',
  );
  expect(kmm.webhooks.validating).toEqual(["kmm-operator-validating-webhook-configuration"]);
  expect(judgeRival(module, kmm, hooked(["kmm.sigs.x-k8s.io"], ["modules"]), now)?.because).toContain(
    "--take-over Module",
  );
  expect(judgeRival(module, kmm, nothing, now)).toBeUndefined();
});

describe("a rival is at work", () => {
  test.each<readonly [string, RivalTraces, number, string | undefined]>([
    ["without any trace: no", nothing, 0, undefined],
    [
      "while its lease may still run: yes",
      leased(held),
      14_999,
      'Fisher is at work: "boat-1" renews Lease fishing/boat',
    ],
    ["when its lease has stood unchanged for its duration: no", leased(held), 15_000, undefined],
    ["counted from when the lease was last seen to change: yes", leased(held, 10_000), 24_999, "Fisher is at work"],
    ["when it gave the lease back: no", leased({ leaseDurationSeconds: 1 }), 0, undefined],
    ["when the lease names no duration, for 15 s: yes", leased({ holderIdentity: "boat-1" }), 14_999, "Fisher is at"],
    ["and then: no", leased({ holderIdentity: "boat-1" }), 15_000, undefined],
    ["when the lease is from yesterday: no", leased({ ...held, renewTime: "2026-02-28T12:00:00Z" }), 0, undefined],
    ["when clocks differ by minutes: yes", leased({ ...held, renewTime: "2026-03-01T11:51:00Z" }), 0, "Fisher is at"],
    [
      "when a webhook answers for the kind: yes",
      hooked([kind.group], [kind.plural]),
      0,
      "webhooks of Fisher answer for",
    ],
    ["when a webhook answers for everything: yes", hooked(["*"], ["*"]), 0, "(net)"],
    ["when a webhook answers for others of the group: no", hooked([kind.group], ["nets"]), 0, undefined],
    ["when a webhook answers for a namesake: no", hooked(["fish.example"], [kind.plural]), 0, undefined],
    [
      "when the configuration is no configuration: no",
      { ...nothing, configurations: new Map([["net", {}]]) },
      0,
      undefined,
    ],
  ])("%s", (_, traces, monotonicMs, because) => {
    const standing = judgeRival(kind, rival, traces, { monotonicMs, wallMs: NOON_MS });
    if (because === undefined) expect(standing).toBeUndefined();
    else expect(standing?.because).toContain(because);
  });

  test("what is told names the way out", () => {
    const standing = judgeRival(kind, rival, leased(held), { monotonicMs: 0, wallMs: NOON_MS });
    expect(standing?.because).toContain(`--take-over ${kind.kind}`);
  });
});

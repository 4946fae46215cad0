// Feature gates as users of Kruise write them.
import { expect, test } from "vitest";
import { DEFAULT_GATES, parseGates } from "./gates.ts";

test.each<[string, Partial<typeof DEFAULT_GATES>]>([
  ["", {}],
  ["AdvancedDaemonSetNodeLabelPatches=false", { AdvancedDaemonSetNodeLabelPatches: false }],
  [" InPlaceWorkloadVerticalScaling = true , AllBeta=true", { InPlaceWorkloadVerticalScaling: true }],
  ["AllAlpha=true", { InPlaceWorkloadVerticalScaling: true }],
])("parseGates() reads %j", (text, changed) => {
  expect(parseGates(text)).toEqual({ gates: { ...DEFAULT_GATES, ...changed }, notes: [], problems: [] });
});

test("parseGates() says of a gate that does nothing here why that is so", () => {
  const { gates, notes, problems } = parseGates("DaemonSetPruneIneligibleNodes=true,PodWebhook=false");
  expect([gates, problems]).toEqual([DEFAULT_GATES, []]);
  expect(notes).toEqual([
    ...[expect.stringContaining("never take part in an update"), expect.stringContaining("no webhook for pods")],
  ]);
});

test.each(["Unheard=true", "AdvancedDaemonSetNodeLabelPatches", "AllAlpha=yes", "A=true=false", "constructor=true"])(
  "parseGates() refuses %j",
  (text) => {
    const { gates, problems } = parseGates(text);
    expect(gates).toEqual(DEFAULT_GATES);
    expect(problems).toHaveLength(1);
  },
);

import { expect, test } from "vitest";
import { aDaemonSet } from "../testing/cases.ts";
import { validateDaemonSet } from "./validate.ts";
import { withoutEffectWarnings } from "./without-effect.ts";

test.each<[string, string]>([
  ["apps.kruise.io/image-predownload-parallelism", "images are not pulled ahead"],
  ["apps.kruise.io/image-predownload-min-updated-ready-pods", "images are not pulled ahead"],
  ["daemonset.kruise.io/ignore-not-ready", "never hold up an update"],
  ["daemonset.kruise.io/ignore-unscheduable", "cordoned nodes run their daemons"],
])("the annotation %s is allowed, with a warning", (key, because) => {
  const metadata = { name: "agent", namespace: "default", annotations: { [key]: "1" } };
  expect(validateDaemonSet({ ...aDaemonSet({}), metadata }, undefined)).toEqual({
    problems: [],
    warnings: [expect.stringMatching(new RegExp(`^metadata\\.annotations\\[${key}\\]: has no effect: .*${because}`))],
  });
});

test("the hook preNormal is allowed, with a warning", () => {
  const set = aDaemonSet({ lifecycle: { preNormal: { labelsHandler: { a: "b" } } } });
  expect(validateDaemonSet(set, undefined).warnings).toEqual([expect.stringContaining("spec.lifecycle.preNormal")]);
});

test.each([undefined, null, 7, {}, { metadata: 1, spec: [] }])(
  "nothing is said of %j, and nothing thrown",
  (object) => {
    expect(withoutEffectWarnings(object)).toEqual([]);
  },
);

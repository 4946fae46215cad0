import { describe, expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { withDaemonTolerations } from "./daemon-tolerations.ts";
import vectors from "./vectors/daemon-tolerations.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(vectors)("$spec", ({ spec, expected }) => {
    const { tolerations, hostNetwork }: { tolerations?: readonly Json[]; hostNetwork?: boolean } = spec;
    expect(withDaemonTolerations(tolerations ?? [], hostNetwork === true)).toEqual(expected);
  });
});

test("adding the defaults twice changes nothing", () => {
  const once = withDaemonTolerations([{ operator: "Exists" }], true);
  expect(withDaemonTolerations(once, true)).toEqual(once);
});

test("a toleration with a value is another one, and stays beside the default", () => {
  const valued = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", value: "x" };
  expect(withDaemonTolerations([valued], false)).toHaveLength(7);
});

test("an explicit empty value is the same toleration, and what is no object stays where it is", () => {
  const notReady = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" };
  const added = withDaemonTolerations([{ ...notReady, value: "", tolerationSeconds: 300 }, null], false);
  expect(added.slice(0, 2)).toEqual([notReady, null]);
  expect(added).toHaveLength(7);
});

import { expect, test } from "vitest";
import { compareVersions } from "./version-order.ts";

test("versions are ranked as the real server ranks them", () => {
  const given = [
    "foo1",
    "v1alpha1",
    "v2",
    "v11beta2",
    "v1",
    "v12alpha1",
    "v10",
    "foo10",
    "v3beta1",
    "v11alpha2",
    "v1beta1",
  ];
  expect(given.toSorted(compareVersions)).toEqual([
    ...["v10", "v2", "v1", "v11beta2", "v3beta1", "v1beta1", "v12alpha1", "v11alpha2", "v1alpha1", "foo1", "foo10"],
  ]);
});

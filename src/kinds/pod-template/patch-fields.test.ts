import { expect, test } from "vitest";
import { PROBLEMS_MAX } from "../../core/decision/problem.ts";
import { unknownPatchFields } from "./patch-fields.ts";

test.each([
  [{ spec: { contianers: [] } }, "patch.spec.contianers", "did you mean containers?"],
  [{ spec: { containers: [{ name: "a", Image: "b" }] } }, "patch.spec.containers[0].Image", "did you mean image?"],
  [{ metadata: { label: {} } }, "patch.metadata.label", "did you mean labels?"],
  [{ spec: { volumes: [{ hostPath: { pth: "/" } }] } }, "patch.spec.volumes[0].hostPath.pth", "did you mean path?"],
  [
    { spec: { containers: [{ name: "a", env: [{ name: "A", vale: "1" }] }] } },
    "patch.spec.containers[0].env[0].vale",
    "did you mean value?",
  ],
  [{ spec: { containers: [{ name: "a", evn: [] }] } }, "patch.spec.containers[0].evn", "did you mean env?"],
  [{ spec: { a: 1 } }, "patch.spec.a", "remove it"],
  [{ spec: { somethingElse: 1 } }, "patch.spec.somethingElse", "remove it"],
  [{ spec: { $replace: true } }, 'patch.spec."$replace"', "no directive"],
])("%j: %s, %s", (patch, path, advice) => {
  const [problem, ...others] = unknownPatchFields(patch, "patch");
  expect(others).toEqual([]);
  expect(problem?.path).toBe(path);
  expect(problem?.message).toContain(advice);
});

test("labels, limits and directives have names of their own", () => {
  const patch = {
    metadata: { labels: { anything: "x" } },
    spec: {
      nodeSelector: { "a/b": "c" },
      containers: [{ name: "a", resources: { limits: { "example.com/gpu": 1 } }, $patch: "replace" }],
      "$setElementOrder/containers": [{ name: "a" }],
      "$deleteFromPrimitiveList/x": [],
      $retainKeys: ["containers"],
    },
  };
  expect(unknownPatchFields(patch, "patch")).toEqual([]);
});

test("of very many unknown fields only some are told", () => {
  const spec = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, index]));
  expect(unknownPatchFields({ spec }, "patch")).toHaveLength(PROBLEMS_MAX);
});

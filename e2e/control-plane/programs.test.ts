import { describe, expect, test } from "vitest";
import { goBuildArgs, PROGRAMS, pinnedVersions } from "./programs.ts";

describe("the pinned programs", () => {
  test("go.mod alone says which version is built", () => {
    expect(pinnedVersions().kubernetes).toMatch(/^v1\.\d+\.\d+$/);
    expect(pinnedVersions().etcd).toMatch(/^v3\.\d+\.\d+$/);
  });

  test("a Kubernetes program is linked with the version it will report", () => {
    const kubectl = PROGRAMS.find((program) => program.name === "kubectl");
    if (kubectl === undefined) throw new Error("kubectl is not pinned");
    const args = goBuildArgs(kubectl, { kubernetes: "v1.35.4", etcd: "v3.6.16" }, "out");
    expect(args.join(" ")).toContain("-X k8s.io/component-base/version.gitVersion=v1.35.4");
    expect(args.join(" ")).toContain("-X k8s.io/client-go/pkg/version.gitMinor=35");
    expect(args.slice(-3)).toEqual(["-o", "out", "k8s.io/kubernetes/cmd/kubectl"]);
  });
});

// The program as a plug-in: the real kubectl finds the bundle by its name, and what it says and how it ends is what a person gets.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../../tools/bundle.ts";
import { describeWith } from "../control-plane/describe-with.ts";

const nodeInfo = { kernelVersion: "6.1.0", operatingSystem: "linux", architecture: "amd64", osImage: "Debian 12" };
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n-1", uid: "u" }, status: { nodeInfo } };
const set = {
  ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "agent" } },
  spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } }, default: {} },
};

describeWith("api", "kubectl farrier", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-plug-in-"));
  const program = binaries.get("kubectl") ?? "kubectl";
  /** Types `kubectl farrier` and the rest of a line. */
  const kubectlFarrier = (line: string) => {
    const env = { PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter), HOME: folder };
    const { status, stdout, stderr } = spawnSync(program, ["farrier", ...line.split(" ")], {
      ...{ cwd: folder, env, encoding: "utf8" },
    });
    return { status, stdout, stderr };
  };
  beforeAll(async () => {
    const plugIn = join(folder, "kubectl-farrier");
    await bundle(plugIn);
    chmodSync(plugIn, 0o755);
    writeFileSync(join(folder, "cluster.yaml"), JSON.stringify(node));
    writeFileSync(join(folder, "set.yaml"), JSON.stringify(set));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("calls itself so in its help and in its examples", () => {
    const { status, stdout } = kubectlFarrier("plan --help");
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Usage: kubectl farrier plan[\s\S]*^ +kubectl farrier plan -f/m),
    ]);
  });

  test("ends as kubectl diff does: 1 with differences on standard output, 2 with the remedy on standard error", () => {
    const planned = kubectlFarrier("plan -f set.yaml --from cluster.yaml");
    expect(planned).toMatchObject({ status: 1, stdout: expect.stringContaining("1 to create"), stderr: "" });
    const refused = kubectlFarrier("plan -f nothing.yaml --from cluster.yaml");
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("nothing.yaml") });
  });
});

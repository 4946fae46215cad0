import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSION } from "../src/assembly/program-run.ts";
import { bundle } from "./bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "farrier-bundle-"));
const program = join(folder, "farrier.mjs");
beforeAll(() => bundle(program));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs it where there is no package beside it. */
function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8", env: {} });
}

test("the bundle is a program of its own", () => {
  expect(run("--version").stdout).toBe(`${VERSION}\n`);
});

test("the bundle plans from a file without a cluster", () => {
  const node = {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } },
    status: {
      nodeInfo: { kernelVersion: "6.1.0", operatingSystem: "linux", architecture: "amd64", osImage: "Debian 12" },
    },
  };
  writeFileSync(join(folder, "cluster.json"), JSON.stringify(node));
  const { status, stdout, stderr } = run("status", "--from", "cluster.json");
  expect([status, stderr, stdout]).toEqual([0, "", expect.stringContaining("6.1.0   1")]);
});

test("the bundle says what a run of it lacks", () => {
  const { status, stderr } = run("run", "--kinds", "Horse");
  expect([status, stderr]).toEqual([2, expect.stringContaining("Horse")]);
});

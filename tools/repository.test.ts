import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VERSION } from "../src/assembly/program-run.ts";
import { repositoryFiles, repositoryRoot } from "./repository.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farrier-repository-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "");
}

test("the repository's own files are found", () => {
  expect(repositoryFiles()).toEqual(expect.arrayContaining(["package.json", "src/core/decision/plan.ts", ".ci/run"]));
});

test("the program says the version of its package", () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")).version);
});

test("a folder that git does not know is walked, without what is never ours", () => {
  for (const path of ["package.json", "src/a.ts", ".ci/run", "node_modules/x/index.js", "dist/a.js"]) put(path);
  expect(repositoryFiles(folder)).toEqual([".ci/run", "package.json", "src/a.ts"]);
});

test("a folder without package.json is not taken for an empty repository", () => {
  put("src/a.ts");
  expect(() => repositoryFiles(folder)).toThrow("found no package.json");
});

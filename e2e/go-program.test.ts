// What building a program leaves in the cache folder.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ensureProgram, type GoProgram } from "./go-program.ts";

let program: GoProgram;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-go-program-"));
  program = { name: "tool", folder, module: "example.org/tool", main: "cmd" };
  writeFileSync(join(folder, "go.mod"), "require example.org/tool v1.2.3\n");
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(program.folder, { recursive: true });
});

/** A `go` that does what the script says with $out, the file it was told to write. */
function putGo(script: string): void {
  const path = join(program.folder, "go");
  writeFileSync(path, `#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done; out="$2"; ${script}\n`);
  chmodSync(path, 0o755);
}

function left(): readonly string[] {
  return readdirSync(join(program.folder, "cache", "farrier", "tool-1.2.3"));
}

test("one that succeeds leaves the program", async () => {
  putGo('touch "$out"');
  await ensureProgram(program);
  expect(left()).toEqual(["tool"]);
});

test("one that fails leaves nothing", async () => {
  putGo('touch "$out"; echo no such module >&2; exit 1');
  await expect(ensureProgram(program)).rejects.toThrow("no such module");
  expect(left()).toEqual([]);
});

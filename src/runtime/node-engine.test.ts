import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { PATIENT_FLAGS } from "./node-engine.ts";

const engine = pathToFileURL(join(import.meta.dirname, "node-engine.ts")).href;

test("this V8 knows the flags", () => {
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  for (const flag of PATIENT_FLAGS) expect(known).toContain(`${flag.replace(/=.*$/, "")} (`);
});

/** Whether a function that is called 1,200 times is optimized, in the thread that calls it. */
function isOptimized(before: string): boolean {
  const program = `${before}; function often(x) { return x.a + 1 } for (let i = 0; i < 1200; i++) often({ a: i });`;
  const flags = ["--trace-opt", "--no-concurrent-recompilation", "--input-type=module", "--eval"];
  return execFileSync(process.execPath, [...flags, program], { encoding: "utf8" }).includes("<JSFunction often");
}

test("functions are optimized later", () => {
  const patient = `import { optimizeLater } from ${JSON.stringify(engine)}; optimizeLater()`;
  expect([isOptimized(""), isOptimized(patient)]).toEqual([true, false]);
});

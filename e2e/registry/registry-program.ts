// The registry program of the distribution project.
import { join } from "node:path";
import { describeWithProgram, ensureProgram, type GoProgram } from "../go-program.ts";

const registry: GoProgram = {
  name: "registry",
  folder: join(import.meta.dirname, "go"),
  module: "github.com/distribution/distribution/v3",
  main: "cmd/registry",
};

/** `describe` for tests on a real registry; `build` gives the path of the program, which takes minutes the first time. */
export function describeWithRegistry(name: string, body: (build: () => Promise<string>) => void): void {
  describeWithProgram(registry, name, body);
}

/** The path of the program, built with Go if it is not there. */
export function ensureRegistry(): Promise<string> {
  return ensureProgram(registry);
}

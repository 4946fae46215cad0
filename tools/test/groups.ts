// The groups of `npm test`, in the order in which they run: cheap and telling first, real parts last.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneAvailability, ensureControlPlane } from "../../e2e/control-plane/binaries.ts";
import { oracleAvailability } from "../../e2e/oracle/availability.ts";
import { staleFiles } from "../gen/outputs.ts";
import { repositoryRoot } from "../repository.ts";
import { tidyRepository } from "../tidy/tidy-repository.ts";
import { runCommand } from "./command.ts";
import { coverageByFolder } from "./coverage-by-folder.ts";
import { nothing, single, type Tally } from "./tally.ts";
import { runVitest } from "./vitest-group.ts";

const COVERAGE = join(repositoryRoot, "coverage", "coverage-summary.json");

export type Group = {
  readonly name: string;
  readonly summary: string;
  /** Slow groups are left out of `npm run ok`. */
  readonly isSlow: boolean;
  run(options: GroupOptions): Promise<Tally>;
};

export type GroupOptions = { readonly hasCoverage: boolean };

export const groups: readonly Group[] = [
  {
    name: "generated",
    summary: "generated files are fresh",
    isSlow: false,
    run: async () => {
      const stale = staleFiles();
      for (const path of stale) console.error(`${path} is out of date: run "npm run gen" and commit the result`);
      return single(stale.length === 0);
    },
  },
  {
    name: "types",
    summary: "types",
    isSlow: false,
    run: async () => single((await runCommand("tsc", ["-p", "."])) === 0),
  },
  {
    name: "lint",
    summary: "lint and format",
    isSlow: false,
    run: async () => single((await runCommand("biome", ["check", "--error-on-warnings", "."])) === 0),
  },
  { name: "tidy", summary: "tidy: the rules of the house", isSlow: false, run: async () => tidyRepository() },
  {
    name: "unit",
    summary: "unit and property tests",
    isSlow: false,
    run: async ({ hasCoverage }) => {
      const tally = await runVitest({ project: "unit", showsFiles: false, args: hasCoverage ? ["--coverage"] : [] });
      if (hasCoverage) console.log(coverageByFolder(readFileSync(COVERAGE, "utf8")).join("\n"));
      return tally;
    },
  },
  {
    name: "simulation",
    summary: "clusters in virtual time, and the demo",
    isSlow: true,
    run: () => runVitest({ project: "simulation", showsFiles: false }),
  },
  {
    name: "oracle",
    summary: "the core against the real Go code",
    isSlow: true,
    run: async () => {
      const oracle = oracleAvailability();
      if (oracle.available) return runVitest({ project: "oracle", showsFiles: true });
      return { ...nothing, skips: [{ what: "oracle", count: 1, ...why(oracle) }] };
    },
  },
  {
    name: "contract",
    summary: "the recorded contract on a real kube-apiserver",
    isSlow: true,
    run: () => withControlPlane("contract"),
  },
  {
    name: "e2e",
    summary: "end to end on a real control plane",
    isSlow: true,
    run: () => withControlPlane("e2e"),
  },
];

/**
 * Runs a project that needs etcd and a kube-apiserver, building them first where Go is there and they are not. Without
 * controllers and scheduler the tests that need those skip themselves.
 */
async function withControlPlane(project: string): Promise<Tally> {
  const whole = await ensureControlPlane(console.log);
  const least = whole.available ? whole : controlPlaneAvailability("api");
  if (!least.available) return { ...nothing, skips: [{ what: project, count: 1, ...why(least) }] };
  return runVitest({ project, showsFiles: true, ...(whole.available ? {} : { skipped: why(whole) }) });
}

function why({ reason, remedy }: Unavailable): Unavailable {
  return { reason, remedy };
}

type Unavailable = { readonly reason: string; readonly remedy: string };

// Our HTTP client and cache beside the official client library for the same works, on one machine, in turns.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { bundle as bundleProduct } from "../../tools/bundle.ts";
import type { Benchmark, BenchmarkContext } from "../benchmark.ts";
import type { Figure } from "../figure.ts";
import { installPeer, PEER_FOLDER, PEER_NAME } from "./peer.ts";
import { figuresOf, type RoundCosts, skippedFigures } from "./rows.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { bundle, type Program, runOnce } from "./subjects.ts";
import { type Workload, workloads } from "./workloads.ts";

/** What the product is started with, see docs/decisions/0006-http-client.md. */
const PRODUCTION_FLAGS = ["--max-semi-space-size=4", "--max-old-space-size-percentage=75"];

type Programs = Readonly<Record<keyof RoundCosts, Program>>;

export const client: Benchmark = {
  name: "client",
  summary: `calls, lists and watches against @kubernetes/${PEER_NAME}`,
  roundsDefault: 5,
  run: async (context) => {
    const [loadAtStart = 0] = loadavg();
    const missing = installPeer(context.progress);
    if (missing !== undefined) return workloads.flatMap((workload) => skippedFigures(workload, missing.missing));
    const folder = mkdtempSync(join(tmpdir(), "bench-client-"));
    const server = await startServer();
    try {
      const programs = await prepare(folder);
      context.progress(`ours runs with ${PRODUCTION_FLAGS.join(" ")}, as the product does; client-node as installed`);
      const figures: Figure[] = [];
      for (const workload of workloads) {
        const rounds = await takeTurns(programs, workload, server, context);
        figures.push(...figuresOf(workload, PEER_NAME, rounds, { loadAtStart }));
      }
      return figures;
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  },
};

async function prepare(folder: string): Promise<Programs> {
  const ours = join(folder, "ours.mjs");
  // Beside its packages, so that they are found.
  const peer = join(PEER_FOLDER, "dist", "subject.mjs");
  await bundleProduct(ours, join(import.meta.dirname, "our-subject.ts"));
  await bundle(join(PEER_FOLDER, "subject.ts"), peer);
  return {
    ours: { name: "ours", entry: ours, flags: PRODUCTION_FLAGS },
    oursWithoutFlags: { name: "ours with default flags", entry: ours, flags: [] },
    peer: { name: PEER_NAME, entry: peer, flags: [] },
  };
}

async function takeTurns(
  programs: Programs,
  workload: Workload,
  server: ServerProcess,
  { rounds, progress }: BenchmarkContext,
): Promise<readonly RoundCosts[]> {
  const costs: RoundCosts[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`${workload.title}: round ${round} of ${rounds}`);
    costs.push({
      ours: await runOnce(programs.ours, workload, server),
      peer: await runOnce(programs.peer, workload, server),
      oursWithoutFlags: await runOnce(programs.oursWithoutFlags, workload, server),
    });
  }
  return costs;
}

// One file for every kind of test: `unit` is fast and hermetic, `simulation` hermetic; the others need real parts. Each is a group.
import { defineConfig } from "vitest/config";

const needsRealParts = ["e2e/**", "sim/contract/contract.test.ts"];
/** Whole clusters in virtual time, and the demo as a process: hermetic too, but not for every minute. */
const simulations = [
  "**/*.sim.test.ts",
  "sim/simulator/**/*.test.ts",
  "sim/demo/start.test.ts",
  "src/controllers/loop/create-operator*.test.ts",
  "src/kube/cache/cache-chaos.test.ts",
];
// Far beyond what any of them takes: a busy machine is no reason to fail.
const patient = { testTimeout: 60_000 };
const unlimited = { testTimeout: 600_000, hookTimeout: 600_000 };

export default defineConfig({
  test: {
    pool: "threads",
    maxWorkers: "100%",
    isolate: false,
    setupFiles: ["tools/test/require-node-24.ts", "tools/test/fixed-seed.ts"],
    coverage: { include: ["src/**"], reporter: ["text-summary", "json-summary"] },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: ["**/node_modules/**", ...needsRealParts, ...simulations],
          ...patient,
        },
      },
      {
        extends: true,
        test: { name: "simulation", include: simulations, exclude: ["**/node_modules/**"], ...patient },
      },
      { extends: true, test: { name: "oracle", include: ["e2e/oracle/**/*.test.ts"], ...unlimited } },
      { extends: true, test: { name: "contract", include: ["sim/contract/contract.test.ts"], ...unlimited } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: ["e2e/oracle/**", "**/*.sim.test.ts"],
          // Real programs share two cores here: what fails once and not again is told as such, and does not stop a release.
          retry: 1,
          // Clusters are heavy, and most of the time they are waited for: two at a time, each with its own processes.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});

// One file for every kind of test: `unit` is fast and hermetic; the others need real parts and are run by group.
import { defineConfig } from "vitest/config";

const needsRealParts = ["e2e/**", "sim/contract/**"];

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    setupFiles: ["tools/test/require-node-24.ts"],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["**/*.test.ts"], exclude: ["**/node_modules/**", ...needsRealParts] },
      },
      { extends: true, test: { name: "oracle", include: ["e2e/oracle/**/*.test.ts"], testTimeout: 600_000 } },
    ],
  },
});

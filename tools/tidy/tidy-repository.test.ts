// Tidy passes on what it has seen, never on nothing.
import { expect, test } from "vitest";
import { repositoryRules, rules } from "./tidy.ts";
import { tidyRepository } from "./tidy-repository.ts";

test.each([{ paths: [] }, { paths: ["README.md"] }])(
  "a list of $paths fails: it is not the repository",
  ({ paths }) => {
    expect(tidyRepository(paths)).toMatchObject({ passed: 0, failed: 1 });
  },
);

test("a list with package.json is judged by every rule, and a file that has just gone is passed over", () => {
  const { passed, failed } = tidyRepository(["package.json", "src/core/gone.ts"]);
  expect(passed + failed).toBe(Object.keys({ ...rules, ...repositoryRules }).length);
});

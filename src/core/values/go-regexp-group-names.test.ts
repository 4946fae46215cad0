import { expect, test } from "vitest";
import { withoutGroupNames } from "./go-regexp-group-names.ts";

test.each([
  ["(?P<n>5)(?<n>6)", "(5)(6)"],
  ["((?P<a>5)|(?<b_1>6))", "((5)|(6))"],
  [String.raw`\(?P<n>5`, String.raw`\(?P<n>5`],
  [String.raw`\Q(?P<n>5)\E(?P<n>5)`, String.raw`\Q(?P<n>5)\E(5)`],
  ["[(?P<n>]", "[(?P<n>]"],
  ["[[:alpha:](?P<n>]", "[[:alpha:](?P<n>]"],
  [String.raw`[\](?P<n>](?P<n>5)`, String.raw`[\](?P<n>](5)`],
  ["(?P<>5)(?P<é>5)(?P<n 5)", "(?P<>5)(?P<é>5)(?P<n 5)"],
  ["(?:5)(?i)6", "(?:5)(?i)6"],
])("%s becomes %s", (pattern, expected) => {
  expect(withoutGroupNames(pattern)).toBe(expected);
});

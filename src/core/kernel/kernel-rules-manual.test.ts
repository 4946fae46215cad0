// The manual of kernel rules (docs/reference/kernel-rules.md) is run here: its examples match, and its messages are ours.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseKernelRelease } from "./kernel-release.ts";
import { matchKernel } from "./kernel-rule.ts";
import { parseKernelRule } from "./kernel-rule-grammar.ts";

const manual = readFileSync(new URL("../../../docs/reference/kernel-rules.md", import.meta.url), "utf8");

/** The texts in back-quotes of one cell; a pipe inside a table is escaped. */
function quotedIn(cell: string | undefined): readonly string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? "").replaceAll("\\|", "|"));
}

const rows = manual
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split(/(?<!\\)\|/).slice(1))
  .flatMap(([rules, , matches, misses]) =>
    quotedIn(rules).map((rule) => ({ rule, matches: quotedIn(matches), misses: quotedIn(misses) })),
  );

test.each(rows)("the manual's example holds: $rule", ({ rule, matches, misses }) => {
  const parsed = parseKernelRule(rule);
  const isMatched = (release: string): boolean =>
    parsed.ok && matchKernel(parsed.value, parseKernelRelease(release)).matched;
  expect(parsed.ok).toBe(true);
  expect(matches.filter((release) => !isMatched(release))).toEqual([]);
  expect(misses.filter(isMatched)).toEqual([]);
});

test("the manual has examples", () => {
  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect(rows.flatMap((row) => [...row.matches, ...row.misses]).length).toBeGreaterThan(40);
});

const messages = manual.split("\n").filter((line) => line.startsWith("kernel rule "));

test("the manual has messages", () => {
  expect(messages.length).toBeGreaterThanOrEqual(3);
});

test.each(messages)("the manual's message is ours: %s", (message) => {
  const rule = /^kernel rule "([^"]*)"/.exec(message)?.[1] ?? "";
  expect(parseKernelRule(rule)).toEqual({ ok: false, problems: [{ path: "kernel", message }] });
});

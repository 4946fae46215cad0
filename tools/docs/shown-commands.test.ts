// No page shows a command that nobody tries: a test types it, or a row of the table says who tries it, or why nobody can.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pageCommands } from "../../e2e/docs/page-commands.ts";
import { repositoryRoot } from "../repository.ts";
import { knownCommands } from "./known-commands.ts";
import { isShownBy, shownCommands } from "./shown-commands.ts";

const textOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8");
const pages = ["README.md", "CONTRIBUTING.md", "e2e/README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot })];
const typed = pages.flatMap((path) => pageCommands(textOf(path)).map(({ command }) => command));
const shown = pages.toSorted().flatMap((path) => shownCommands(textOf(path)).map((each) => ({ ...each, path })));

describe("the commands that a page shows", () => {
  test("are those of its blocks and of its prose, with their lines", () => {
    const page =
      "Run `npm\nstart` or `npm`.\n\n```sh\nexport A=b\nkubectl get x  # why\n```\n\n```text\n$ npm test\n1 passed\n```\n";
    expect(shownCommands(page)).toEqual([
      { command: "npm start", line: 1 },
      { command: "kubectl get x", line: 6 },
      { command: "npm test", line: 10 },
    ]);
    expect(shownCommands("```console\n$ kubectl get x\n```\n")).toEqual([]);
  });

  test.each<readonly [string, string, boolean]>([
    ["farrier plan -f a.yaml", "farrier plan", true],
    ["farrier plan -f a.yaml", "farrier plan -f a.yaml", true],
    ["farrier plan -f a.yaml", "farrier pla", false],
    ["farrier plan", "farrier plan -f a.yaml", false],
    ["farrier explain node gpu-003", "farrier explain node NAME", true],
    ["farrier rollout status daemonset/nydus", "farrier rollout status daemonset/NAME", true],
    ["farrier doctor --pre", "npm run -s farrier -- doctor --pre", true],
    ["kubectl get \\\n    pods", "kubectl get pods", true],
  ])("who types %j has tried %j: %s", (command, page, isTried) => {
    expect(isShownBy(command, page)).toBe(isTried);
  });
});

test.each(shown)("$path:$line: somebody tries $command", ({ command }) => {
  const isTyped = typed.some((each) => isShownBy(each, command));
  const isKnown = knownCommands.some((known) =>
    known.isFamily === true ? isShownBy(command, known.command) : isShownBy(known.command, command),
  );
  expect([command, isTyped || isKnown]).toEqual([command, true]);
});

test.each(knownCommands)("$command is shown by a page, and no page types it", ({ command }) => {
  const isMeant = (text: string) => isShownBy(command, text) || isShownBy(text, command);
  expect(shown.filter((each) => isMeant(each.command))).not.toEqual([]);
  expect(typed.filter((each) => isShownBy(each, command))).toEqual([]);
});

test.each(knownCommands)("$command is tried by the file that is named, or the reason is", ({ tried, untried = "" }) => {
  expect([tried === undefined, untried === ""]).toContain(true);
  if (tried === undefined) expect(untried).not.toBe("");
  else expect(textOf(tried.by)).toContain(tried.says);
});

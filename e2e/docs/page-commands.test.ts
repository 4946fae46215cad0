import { expect, test } from "vitest";
import { isAsPromised, linesOf, pageCommands } from "./page-commands.ts";

const page = `# A page

\`\`\`yaml
$ no: command
\`\`\`

\`\`\`console
$ kubectl get pods
NAME   READY
a      1/1

$ kubectl label \\
    node/x
\`\`\`

\`\`\`console cluster
$ farrier doctor
\`\`\`
`;

test("commands are those of console blocks, with the lines that follow them", () => {
  expect(pageCommands(page)).toEqual([
    { on: "demo", command: "kubectl get pods", answer: ["NAME   READY", "a      1/1"], line: 8 },
    { on: "demo", command: "kubectl label \\\n    node/x", answer: [], line: 12 },
    { on: "cluster", command: "farrier doctor", answer: [], line: 17 },
  ]);
});

test.each<readonly [string, string, boolean]>([
  ["a\nb\n", "a\nb", true],
  ["a\nb", "a", false],
  ["a", "a\nb", false],
  ["a 12s b", "a … b", true],
  ["a (b) c", "a (b) c", true],
  ["1\n2\n3\n4", "1\n…\n4", true],
  ["1\n2\n3", "…", true],
  ["1\n2\n3", "1\n…\n2", false],
  ["", "…", true],
])("%j is as %j promises: %s", (answer, promised, isFine) => {
  expect(isAsPromised(linesOf(answer), linesOf(promised))).toBe(isFine);
});

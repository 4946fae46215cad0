// Every command in the documentation, typed into a shell beside `npm start`, with the answer that the page promises.
import { spawn } from "node:child_process";
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { repositoryRoot } from "../../tools/repository.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { isAsPromised, linesOf, pageCommands } from "./page-commands.ts";

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot }).toSorted()].map((path) => ({
  path,
  commands: pageCommands(readFileSync(join(repositoryRoot, path), "utf8")),
}));
const PATIENCE_MS = 300_000;

type Ran = { readonly code: number | null; readonly text: string };

/** Runs a program in the root of the repository to its end. */
function run(command: string, env: Readonly<Record<string, string | undefined>>): Promise<Ran> {
  const child = spawn("bash", ["-c", command], { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (text += bytes));
  return new Promise((resolve, reject) => child.on("error", reject).on("close", (code) => resolve({ code, text })));
}

describeWith("api", "the documentation", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-docs-"));
  const kubectl = binaries.get("kubectl");
  if (kubectl !== undefined) symlinkSync(kubectl, join(folder, "kubectl"));
  const farrier = join(folder, "farrier");
  writeFileSync(farrier, `#!/bin/sh\nexec "${process.execPath}" "${join(repositoryRoot, "src", "main.ts")}" "$@"\n`);
  chmodSync(farrier, 0o755);
  let stop: (() => Promise<void>) | undefined;
  afterEach(async () => stop?.());

  /** Starts the demo; resolves when it serves. */
  async function demo(kubeconfig: string): Promise<void> {
    const args = [join(repositoryRoot, "tools", "start.ts"), "--quiet", "--kubeconfig", kubeconfig];
    const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    stop = async () => {
      child.kill("SIGINT");
      await ended;
      rmSync(kubeconfig, { force: true });
    };
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (bytes) => {
        said += bytes;
        if (said.includes("Ctrl-C stops everything")) resolve();
      });
      void ended.then(() => reject(new Error(`the demo ended with: ${said}`)));
    });
  }

  test.skipIf(kubectl === undefined).each(pages.filter(({ commands }) => commands.length > 0))(
    "$path",
    async ({ path, commands }) => {
      const kubeconfig = join(folder, `${path.replaceAll("/", "-")}.kubeconfig`);
      await demo(kubeconfig);
      const env = { PATH: [folder, process.env.PATH].join(delimiter), HOME: folder, KUBECONFIG: kubeconfig };
      for (const { command, answer, line } of commands) {
        const { code, text } = await run(command, env);
        // 1 is the answer of a plan that would change something, and of a rollout that goes on.
        const isFine = (code === 0 || code === 1) && isAsPromised(linesOf(text), answer);
        expect(isFine ? "" : `${path}:${line}: ${command}\n${text}`).toBe("");
      }
    },
    PATIENCE_MS,
  );
});

test("there is a page for each door", () => {
  const told = pages.filter(({ commands }) => commands.length > 0).map(({ path }) => path);
  expect(told).toEqual(expect.arrayContaining(["docs/tutorial.md"]));
  expect(told.filter((path) => path.startsWith("docs/how-to/")).length).toBeGreaterThanOrEqual(3);
});

// Every command that the documentation shows for the demo, typed into a shell beside `npm start`, with the answer that the page promises.
import { spawn } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { repositoryRoot } from "../../tools/repository.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { pageCommands } from "./page-commands.ts";
import { openPageShell } from "./page-shell.ts";

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot }).toSorted()].map((path) => ({
  path,
  commands: pageCommands(readFileSync(join(repositoryRoot, path), "utf8")).filter(({ on }) => on === "demo"),
}));
const PATIENCE_MS = 300_000;

describeWith("api", "the documentation", (binaries) => {
  const kubectl = binaries.get("kubectl");
  const shell = openPageShell(binaries);
  let stop: (() => Promise<void>) | undefined;
  afterEach(async () => stop?.());
  afterAll(() => shell.close());

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
      const kubeconfig = join(shell.folder, `${path.replaceAll("/", "-")}.kubeconfig`);
      await demo(kubeconfig);
      for (const command of commands) expect(await shell.type(path, command, kubeconfig)).toBe("");
    },
    PATIENCE_MS,
  );
});

test("there is a page for each door", () => {
  const told = pages.filter(({ commands }) => commands.length > 0).map(({ path }) => path);
  expect(told).toEqual(expect.arrayContaining(["docs/tutorial.md"]));
  expect(told.filter((path) => path.startsWith("docs/how-to/")).length).toBeGreaterThanOrEqual(3);
});

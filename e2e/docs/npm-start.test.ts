// `npm start` as a newcomer runs it: the whole story as a process, with Enter for each act, until Ctrl-C.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../tools/repository.ts";

const PATIENCE_MS = 300_000;
const ACTS = 6;
const OVER = "The cluster is yours now";

test("npm start -- --help tells the options, with examples", async () => {
  const child = spawn("npm", ["start", "--", "--help"], { cwd: repositoryRoot, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.on("data", (bytes) => (said += bytes));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  expect([code, said]).toEqual([0, expect.stringMatching(/--step[\s\S]*--quiet[\s\S]*Examples:/)]);
});

test(
  "the story with Enter for each act ends in an invitation, and Ctrl-C leaves nothing but the kubeconfig",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "farrier-story-"));
    const args = [join(repositoryRoot, "tools", "start.ts"), ...["--step"]];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    let said = "";
    let pressed = 0;
    const isOver = new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (bytes) => {
        said += bytes;
        for (const asked = said.split("Press Enter").length - 1; pressed < asked; pressed++) child.stdin.write("\n");
        if (said.includes(OVER)) resolve();
      });
      void ended.then(() => reject(new Error(`it ended with: ${said}`)));
    });
    await isOver;
    child.kill("SIGINT");
    expect([await ended, readdirSync(folder)]).toEqual([0, ["farrier.kubeconfig"]]);
    expect(said.match(/^Act \d/gm)).toHaveLength(ACTS);
    expect(pressed).toBeGreaterThanOrEqual(ACTS - 1);
    rmSync(folder, { recursive: true });
  },
  PATIENCE_MS,
);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeWith } from "./describe-with.ts";
import { eventually } from "./eventually.ts";

/** Runs the command as a person would; `until` ends it with a signal as soon as it has printed that. */
async function run(
  args: readonly string[],
  until?: { readonly printed: RegExp; readonly signal: NodeJS.Signals; readonly before?: (output: string) => void },
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "cli.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk.toString();
  });
  const closed = once(child, "close");
  if (until !== undefined) {
    const seen = () => until.printed.test(stdout) || child.exitCode !== null || undefined;
    await eventually(`it prints ${until.printed}`, seen, { deadlineMs: 60_000 });
    until.before?.(stdout);
    child.kill(until.signal);
  }
  const [code] = await closed;
  return { code, stdout, stderr };
}

describe("npm run cluster: arguments", () => {
  test.each([
    [["up", "--nodes", "many"], /'many' is invalid. give a whole number from 0 to 5000/],
    [["up", "--port", "70000"], /'70000' is invalid. give a whole number from 1 to 65535/],
    [["up", "--kernels", "a,,b"], /give kernel versions separated by commas/],
    [["down"], /unknown command 'down'/],
  ])("%j is refused with a reason", async (args, reason) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
  });

  test("--help shows the commands and examples", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/up \[options\][\s\S]*build[\s\S]*npm run cluster -- up --nodes 20/);
  });
});

describeWith("controllers", "npm run cluster", () => {
  test("up gives a kubeconfig and three commands, and leaves nothing behind after Ctrl-C", async () => {
    let kubeconfig = "";
    const before = (output: string) => {
      kubeconfig = /KUBECONFIG=(\S+)/.exec(output)?.[1] ?? "";
      expect(existsSync(kubeconfig)).toBe(true);
    };
    const { code, stdout, stderr } = await run(["up", "--nodes", "2"], { printed: /Ctrl-C/, signal: "SIGINT", before });
    expect(stdout).toMatch(/Ready: 2 nodes at https:/);
    expect(stdout.match(/^ {2}kubectl /gm)).toHaveLength(3);
    expect([code, stderr.includes("stopping")]).toEqual([0, true]);
    expect(existsSync(dirname(kubeconfig))).toBe(false);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("up ends when npm above it is ended with %s", async (signal) => {
    const cwd = join(import.meta.dirname, "..", "..");
    const npm = spawn("npm", ["run", "cluster", "--", "up", "--nodes", "1"], {
      cwd,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let stdout = "";
    npm.stdout.on("data", (chunk) => {
      stdout += chunk.toString();
    });
    const ready = () => /KUBECONFIG=(\S+)[\s\S]*Ctrl-C/.exec(stdout)?.[1];
    const kubeconfig = await eventually("the cluster is up", ready, { deadlineMs: 60_000 });
    npm.kill(signal);
    const isGone = () => (existsSync(dirname(kubeconfig)) ? undefined : true);
    await eventually("nothing is left", isGone, { deadlineMs: 30_000 });
  });

  test("a port that is taken is refused by name", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const bound = squatter.address();
    const port = bound !== null && typeof bound !== "string" ? bound.port : 0;
    const { code, stderr } = await run(["up", "--port", String(port)]);
    squatter.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`npm run cluster: port ${port} is taken`);
  });
});

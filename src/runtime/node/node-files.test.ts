import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { MissingFileError, type Program } from "../../kube/files.ts";
import { FILE_BYTES_MAX, nodeFiles, nodePrograms } from "./node-files.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "node-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("files", () => {
  test("a file is read whole", async () => {
    await writeFile(join(folder, "token"), "abc\n");
    expect(new TextDecoder().decode(await nodeFiles().read(join(folder, "token")))).toBe("abc\n");
  });

  test("a missing file is told apart, and its path is named", async () => {
    const path = join(folder, "missing");
    const error = await nodeFiles()
      .read(path)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(MissingFileError);
    expect(String(error)).toContain(`${path}: no such file`);
  });

  test("a folder and a giant are refused by name", async () => {
    await expect(nodeFiles().read(folder)).rejects.toThrow(`${folder}: cannot be read: EISDIR`);
    const giant = join(folder, "giant");
    await writeFile(giant, "");
    await truncate(giant, FILE_BYTES_MAX + 1);
    await expect(nodeFiles().read(giant)).rejects.toThrow(`${giant}: cannot be read: 16777217 bytes are more than`);
  });
});

describe("what is no regular file", () => {
  test("and has no end is not read to its end", async () => {
    await expect(nodeFiles().read("/dev/zero")).rejects.toThrow(
      "/dev/zero: cannot be read: more than the 16777216 bytes expected of it",
    );
  });

  test("but a pipe with a writer is read, as a shell hands out for <(command)", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const [bytes] = await Promise.all([nodeFiles().read(pipe), writeFile(pipe, "x".repeat(200_000))]);
    expect(bytes.byteLength).toBe(200_000);
  });
});

describe("programs", () => {
  const script = (code: string, changes: Partial<Program> = {}): Program => ({
    command: process.execPath,
    args: ["-e", code],
    env: { ONLY: "this" },
    timeoutMs: 10_000,
    outputMax: 1_000,
    ...changes,
  });
  const run = (program: Program, clock = new VirtualClock()) => nodePrograms(clock).run(program);

  test("a program gets its arguments and its environment, and nothing else", async () => {
    const code =
      "process.stdout.write(JSON.stringify(process.env)); process.stderr.write('hint'); process.exitCode = 3";
    expect(await run(script(code))).toEqual({ code: 3, stdout: '{"ONLY":"this"}', stderr: "hint" });
  });

  test("its input is empty, so a question does not hang", async () => {
    const code = "process.stdin.on('data', () => {}).on('end', () => console.log('end'))";
    expect((await run(script(code))).stdout).toBe("end\n");
  });

  test("no shell reads the arguments", async () => {
    const code = "console.log(process.argv[1])";
    expect((await run(script(code, { args: ["-e", code, "$(id); `id`"] }))).stdout).toBe("$(id); `id`\n");
  });

  test("a program that does not exist is named with the remedy", async () => {
    await expect(run(script("", { command: "no-such-program-anywhere" }))).rejects.toThrow(
      "no-such-program-anywhere: no such program; install it or put it on the PATH",
    );
  });

  test("a program that hangs is ended when its time is over", async () => {
    const clock = new VirtualClock();
    const pidFile = join(folder, "pid");
    const code = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const end = expect(run(script(code), clock)).rejects.toThrow("still running after 10000 ms");
    const pid = await vi.waitFor(async () => {
      const text = await readFile(pidFile, "utf8");
      expect(text).toMatch(/^[0-9]+$/);
      return Number(text);
    });
    clock.advance(10_000);
    await end;
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  });

  test("a program that hangs is ended with the programs that it started", async () => {
    const clock = new VirtualClock();
    const pidFile = join(folder, "grandchild");
    const args = ["-c", `sleep 600 & echo $! > ${pidFile}; wait`];
    const end = expect(run(script("", { command: "/bin/sh", args, env: { PATH: "/bin:/usr/bin" } }), clock)).rejects;
    const pid = await vi.waitFor(async () => {
      const text = (await readFile(pidFile, "utf8")).trim();
      expect(text).toMatch(/^[0-9]+$/);
      return Number(text);
    });
    clock.advance(10_000);
    await end.toThrow("/bin/sh: still running after 10000 ms");
    // An orphan that has ended may stay on the list of processes until somebody asks for it, but it has no command line.
    const commandOf = () => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    await vi.waitFor(async () => expect(await commandOf()).toBe(""));
  });

  test("a program that prints without end is ended", async () => {
    const code = "setInterval(() => process.stdout.write('x'.repeat(400)), 1)";
    await expect(run(script(code))).rejects.toThrow("printed more than 1000 bytes");
  });

  test("a program that is killed has no answer", async () => {
    await expect(run(script("process.kill(process.pid, 'SIGKILL')"))).rejects.toThrow("ended by SIGKILL");
  });
});

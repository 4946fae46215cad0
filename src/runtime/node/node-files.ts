// The Files and Programs ports on Node: credential files, and the credential plugins that a kubeconfig names.
import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../../kube/clock.ts";
import { type Files, MissingFileError, type Program, type Programs } from "../../kube/files.ts";

/** Credentials and kubeconfigs are small; anything larger was named by mistake. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** The machine's files. */
export function nodeFiles(): Files {
  return { read };
}

async function read(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > FILE_BYTES_MAX) throw new Error(`${size} bytes are more than the ${FILE_BYTES_MAX} expected of it`);
    return await readBounded(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new MissingFileError(path);
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: cannot be read: ${why}`, { cause: error });
  }
}

/** A pipe or a device does not tell its size, and may have none. */
async function readBounded(file: FileHandle): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    size += chunk.byteLength;
    if (size > FILE_BYTES_MAX) throw new Error(`more than the ${FILE_BYTES_MAX} bytes expected of it`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The machine's programs. They get no terminal and no input. */
export function nodePrograms(clock: Clock): Programs {
  return { run: (program) => run(clock, program) };
}

function run(clock: Clock, program: Program): ReturnType<Programs["run"]> {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, program.args, {
      env: program.env,
      stdio: ["ignore", "pipe", "pipe"],
      // The leader of a group of its own, so that the programs it starts can be ended with it.
      detached: true,
    });
    const fail = (error: Error) => {
      cancel();
      stop(child);
      reject(error);
    };
    const tooLong = () => fail(new Error(`${program.command}: still running after ${program.timeoutMs} ms`));
    const tooMuch = () => fail(new Error(`${program.command}: printed more than ${program.outputMax} bytes`));
    const cancel = clock.after(program.timeoutMs, tooLong);
    const stdout = collect(child.stdout, program.outputMax, tooMuch);
    const stderr = collect(child.stderr, program.outputMax, tooMuch);
    child.once("error", (error) => fail(startError(program.command, error)));
    child.once("close", (code, signal) => {
      cancel();
      if (code === null) reject(new Error(`${program.command}: ended by ${signal}`));
      else resolve({ code, stdout: stdout(), stderr: stderr() });
    });
  });
}

/** Ends the program with all that it started, and closes the pipes: one that left the group may hold them open. */
function stop(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function collect(stream: NodeJS.ReadableStream, bytesMax: number, tooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > bytesMax) tooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function startError(command: string, error: Error): Error {
  if (codeOf(error) === "ENOENT") return new Error(`${command}: no such program; install it or put it on the PATH`);
  return new Error(`${command}: cannot be started: ${error.message}`, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

// Running a program of the tool chain, with its output passed through to the terminal.
import { spawn } from "node:child_process";

/** The exit code of a program from node_modules/.bin or the PATH; 127 when it cannot start. */
export function runCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...env } });
    child.on("error", (error) => {
      console.error(`cannot run ${command}: ${error.message}`);
      resolve(127);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

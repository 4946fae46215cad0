// Programs of ours that are children of the benchmark and talk with it in messages.
import { type ChildProcess, fork } from "node:child_process";

/** Starts a program with these flags of Node; its last words go to our standard error. */
export function startChild(program: string, flags: readonly string[] = []): ChildProcess {
  return fork(program, { execArgv: [...flags] });
}

/** Sends a message and resolves with the answer; rejects when the child ends without one. */
export function ask(child: ChildProcess, message: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${child.spawnargs.at(-1)} has ended; its last words are above`));
    child.once("exit", onExit);
    child.once("message", (answer) => {
      child.off("exit", onExit);
      resolve(answer);
    });
    child.send(message);
  });
}

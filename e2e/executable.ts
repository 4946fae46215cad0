// Whether a program can be run: tests that need one of another project look for it first, and say so where it is missing.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** True for a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** True when one of the folders of the PATH has the program. */
export function isOnPath(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.PATH ?? "").split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

// The port for what lies on the machine around us: credential files and the credential plugins of a kubeconfig.

export interface Files {
  /** The whole file; rejects with an error whose message names the path, a MissingFileError when there is no such file. */
  read(path: string): Promise<Uint8Array>;
}

export class MissingFileError extends Error {
  override readonly name = "MissingFileError";

  constructor(path: string) {
    super(`${path}: no such file`);
  }
}

export interface Programs {
  /** Runs a program to its end; rejects when it cannot start, outlives `timeoutMs` or prints more than `outputMax` bytes. */
  run(program: Program): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly outputMax: number;
};

// A disk made of texts and programs made of functions: the bindings of the Files and Programs ports for tests.
import { type Files, MissingFileError, type Program, type Programs } from "../src/kube/files.ts";

/** A disk that holds exactly these files; they may be changed while it is in use. */
export function diskOf(texts: Record<string, string>): Files {
  return {
    async read(path) {
      const text = texts[path];
      if (text === undefined) throw new MissingFileError(path);
      return new TextEncoder().encode(text);
    },
  };
}

type Printed = { readonly code?: number; readonly stdout?: string; readonly stderr?: string };

/** Programs that answer by a function, and remember how they were started. */
export class ScriptedPrograms implements Programs {
  readonly started: Program[] = [];
  readonly #answer: (program: Program, index: number) => Printed | Error;

  constructor(answer: (program: Program, index: number) => Printed | Error) {
    this.#answer = answer;
  }

  async run(program: Program) {
    this.started.push(program);
    const answer = this.#answer(program, this.started.length - 1);
    if (answer instanceof Error) throw answer;
    return { code: 0, stdout: "", stderr: "", ...answer };
  }
}

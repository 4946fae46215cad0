// The running oracle: one child process that answers questions line by line, in the order in which they were asked.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import { parseJson, printJson } from "../../src/kube/wire/json-text.ts";
import { buildOracle } from "./binary.ts";

export type Concept =
  | "smp"
  | "selector"
  | "selectorText"
  | "taint"
  | "affinity"
  | "shouldRun"
  | "intOrPercent"
  | "regexp"
  | "quantity"
  | "json"
  | "bench";

export type Question = { readonly concept: Concept; readonly case: Json };

/** What one side says to a question: a value, or that it refuses the input, and why. */
export type Answer =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "refused"; readonly why: string };

export type Ask = (questions: readonly Question[]) => Promise<readonly Answer[]>;

/** How many lines may be under way at once: enough to keep both processes busy, little enough to hold in memory. */
export const BATCH_MAX = 256;

export class Oracle {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: { take(line: string): void; fail(error: Error): void }[] = [];
  #lastWords = "";
  /** Why nothing can be asked any more. */
  #ended: Error | undefined;

  constructor(binary: string) {
    this.#child = spawn(binary, [], { stdio: ["pipe", "pipe", "pipe"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#waiting.shift()?.take(line));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#lastWords = text;
    });
    this.#child.on("error", (error) => this.#failAll(error));
    this.#child.on("close", () =>
      this.#failAll(new Error(`the oracle ended: ${this.#lastWords || "no reason given"}`)),
    );
    // Without a listener a write after its end would bring this process down before "close" can tell the reason.
    this.#child.stdin.on("error", () => {});
  }

  /** Asks at most BATCH_MAX questions and resolves to their answers in the same order; rejects once the process is gone. */
  ask: Ask = async (questions) => {
    if (this.#ended !== undefined) throw this.#ended;
    if (questions.length > BATCH_MAX)
      throw new Error(`${questions.length} questions at once; the limit is ${BATCH_MAX}`);
    const answers = questions.map(() => new Promise<string>((take, fail) => this.#waiting.push({ take, fail })));
    this.#child.stdin.write(questions.map((question) => `${printJson(question)}\n`).join(""));
    return (await Promise.all(answers)).map(parseAnswer);
  };

  /** Ends the process; questions still waiting are rejected. */
  close(): void {
    this.#child.stdin.end();
  }

  #failAll(error: Error): void {
    this.#ended = error;
    for (const waiting of this.#waiting.splice(0)) waiting.fail(error);
  }
}

/** Builds the oracle if needed and starts it. */
export function startOracle(): Oracle {
  return new Oracle(buildOracle());
}

function parseAnswer(line: string): Answer {
  const said = parseJson(line);
  if (!isJsonObject(said)) throw new Error(`the oracle answered ${line}`);
  if (typeof said.error === "string") return { kind: "refused", why: said.error };
  if (typeof said.panic === "string") return { kind: "refused", why: `panic: ${said.panic}` };
  return { kind: "value", value: said.value ?? null };
}

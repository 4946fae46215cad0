// The oracles of one world: they look at every request when it is sent and at every write when it is done, and remember the first
// thing that was wrong.
import type { Clock } from "../../src/kube/clock.ts";
import type { Commit, Invariant, Sent, State } from "./commit.ts";
import type { Scenario } from "./scenario.ts";
import type { Trace } from "./trace.ts";

/** What is wrong: which oracle says so, and its sentence. */
export type Failure = { readonly oracle: string; readonly message: string; readonly atMs: number };

export type OracleParts = {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly trace: Trace;
  readonly state: State;
};

/** Asks every invariant about every write, and remembers the first that is broken. */
export class Oracles {
  readonly #scenario: Scenario;
  readonly #parts: OracleParts;
  readonly #invariants: readonly Invariant[];
  /** Whose request the server is working on: it finishes one before the world goes on. */
  writer = "nobody";
  failure: Failure | undefined;
  lastWrite = { atMs: 0, what: "nothing" };

  constructor(scenario: Scenario, parts: OracleParts) {
    this.#scenario = scenario;
    this.#parts = parts;
    this.#invariants = scenario.invariants();
  }

  get state(): State {
    return this.#parts.state;
  }

  serving(writer: string): void {
    this.writer = writer;
  }

  sent(role: string, sent: Sent): void {
    for (const { name, roles, check } of this.#scenario.requestRules) {
      const wrong = roles.includes(role) ? check(sent, this.state) : undefined;
      if (wrong !== undefined) this.fail(name, `${sent.by}: ${wrong}`);
    }
  }

  committed(commit: Commit): void {
    const { trace, clock, state } = this.#parts;
    const what = `${verbOf(commit)} ${commit.table} ${commit.key}`;
    trace.add("store", `${commit.revision} ${what} by ${commit.by}`);
    if (!this.#scenario.isNoise(commit))
      this.lastWrite = { atMs: clock.monotonicMs(), what: `${what} by ${commit.by}` };
    for (const { name, check } of this.#invariants) {
      const wrong = check(commit, state);
      if (wrong !== undefined) this.fail(name, wrong);
    }
  }

  fail(oracle: string, message: string): void {
    // One line, the same whether or not the run knows where its errors come from.
    const [line = ""] = message.split("\n", 1);
    this.#parts.trace.add("oracle", `${oracle}: ${line}`);
    this.failure ??= { oracle, message, atMs: this.#parts.clock.monotonicMs() };
  }
}

function verbOf({ before, after }: Commit): string {
  if (before === undefined) return "creates";
  return after === undefined ? "removes" : "changes";
}

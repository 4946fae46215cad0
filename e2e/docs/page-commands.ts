// The commands that a page of the documentation shows, with the answers that it promises: what stands in its blocks of `console`, for the demo, and
// of `console cluster`, for a cluster on which Farrier is to be installed.

export type PageCommand = {
  readonly on: "demo" | "cluster";
  /** As a person types it; lines that end with a backslash go on. */
  readonly command: string;
  /** The lines that follow it on the page. */
  readonly answer: readonly string[];
  /** The line of the page, for messages. */
  readonly line: number;
};

const FENCE = "```";
const STAGES: ReadonlyMap<string, PageCommand["on"]> = new Map([
  [`${FENCE}console`, "demo"],
  [`${FENCE}console cluster`, "cluster"],
]);
const LEFT_OUT = "…";

/** Finds them, in their order. */
export function pageCommands(markdown: string): readonly PageCommand[] {
  const found: { on: PageCommand["on"]; command: string; answer: string[]; line: number }[] = [];
  let on: PageCommand["on"] | undefined;
  let goesOn = false;
  for (const [at, line] of markdown.split("\n").entries()) {
    const last = found.at(-1);
    if (line.startsWith(FENCE)) on = STAGES.get(line);
    else if (on === undefined) continue;
    else if (goesOn && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) found.push({ on, command: line.slice(2), answer: [], line: at + 1 });
    else last?.answer.push(line);
    goesOn = on !== undefined && line.endsWith("\\");
  }
  return found.map(({ answer, ...rest }) => ({ ...rest, answer: trimmed(answer) }));
}

/** Whether an answer is as the page says: `…` stands for a part of a line, or for any lines where it is alone. */
export function isAsPromised(answer: readonly string[], promised: readonly string[]): boolean {
  const [head, ...rest] = promised;
  if (head === undefined) return answer.length === 0;
  if (head.trim() === LEFT_OUT) {
    return answer.some((_, at) => isAsPromised(answer.slice(at), rest)) || isAsPromised([], rest);
  }
  const [first, ...others] = answer;
  return first !== undefined && lineFits(first, head) && isAsPromised(others, rest);
}

/** The lines of a text, without empty ones at the end. */
export function linesOf(text: string): readonly string[] {
  return trimmed(text.split("\n").map((line) => line.trimEnd()));
}

function lineFits(line: string, promised: string): boolean {
  const parts = promised.trimEnd().split(LEFT_OUT);
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${parts.map(literal).join(".*")}$`).test(line);
}

function trimmed(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

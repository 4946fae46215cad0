// The commands that a page of the documentation shows, with the answers that it promises: what stands in its blocks of `console`.

export type PageCommand = {
  /** As a person types it; lines that end with a backslash go on. */
  readonly command: string;
  /** The lines that follow it on the page. */
  readonly answer: readonly string[];
  /** The line of the page, for messages. */
  readonly line: number;
};

const FENCE = "```";
const LEFT_OUT = "…";

/** Finds them, in their order. */
export function pageCommands(markdown: string): readonly PageCommand[] {
  const found: { command: string; answer: string[]; line: number }[] = [];
  let isConsole = false;
  let goesOn = false;
  for (const [at, line] of markdown.split("\n").entries()) {
    const last = found.at(-1);
    if (line.startsWith(FENCE)) isConsole = line === `${FENCE}console`;
    else if (!isConsole) continue;
    else if (goesOn && last !== undefined) last.command += `\n${line}`;
    else if (line.startsWith("$ ")) found.push({ command: line.slice(2), answer: [], line: at + 1 });
    else last?.answer.push(line);
    goesOn = isConsole && line.endsWith("\\");
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

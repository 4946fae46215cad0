// How large a Go regular expression becomes when its counted repetitions are written out, estimated from its text before
// anything is compiled: `(…){1000}` around a thousand characters would be a million instructions.

/** Quoted text, an escape, a character class, a counted repetition, an operator, or any other character. */
const TOKEN = /\\Q(.*?)(?:\\E|$)|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|./gsu;

/** The sizes of what was read at one depth of parentheses: of all of it, and of the item that a repetition would repeat. */
type Level = { total: number; item: number };

/** Returns roughly the number of instructions; of a pattern that does not compile, a number without meaning. */
export function estimateProgramSize(pattern: string): number {
  const outer: Level[] = [];
  let level: Level = { total: 0, item: 0 };
  const close = (): void => {
    const inner = level;
    level = outer.pop() ?? { total: 0, item: 0 };
    add(level, inner.total + 2);
  };
  for (const [token, literal, atLeast, atMost] of pattern.matchAll(TOKEN)) {
    if (token === "(") {
      outer.push(level);
      level = { total: 0, item: 0 };
    } else if (token === ")") close();
    else if (atLeast !== undefined) repeat(level, Math.max(Number(atLeast), Number(atMost ?? 0), 1));
    else if (literal !== undefined) for (const _ of literal) add(level, 1);
    else add(level, 1);
  }
  while (outer.length > 0) close();
  return level.total;
}

function add(level: Level, size: number): void {
  level.total += size;
  level.item = size;
}

function repeat(level: Level, count: number): void {
  level.total += level.item * (count - 1);
}

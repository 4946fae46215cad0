// The log for people: turns the JSON lines of log.ts into one short line each, for a terminal. Machines get the JSON itself.
import type { LogDestination } from "./log.ts";

const LEVEL_WIDTH = 5;
const levelColors: ReadonlyMap<string, string> = new Map([
  ["debug", "\u001b[2m"],
  ["info", "\u001b[36m"],
  ["warn", "\u001b[33m"],
  ["error", "\u001b[31m"],
]);
const DIM = "\u001b[2m";
const PLAIN = "\u001b[0m";

/** A destination that hands each line on in readable form. */
export function readableLog(destination: LogDestination, options: { readonly colors: boolean }): LogDestination {
  return { write: (line) => destination.write(`${printReadable(line, options.colors)}\n`) };
}

/** `12:00:00.000 INFO  message key=value`, with what is not plain text escaped, so that no value can forge a line. */
export function printReadable(line: string, colors: boolean): string {
  const entry: unknown = JSON.parse(line);
  if (typeof entry !== "object" || entry === null) return escapeText(line);
  const fields = new Map<string, unknown>(Object.entries(entry));
  const take = (name: string): string => {
    const value = fields.get(name);
    fields.delete(name);
    return typeof value === "string" ? value : "";
  };
  const [time, level, message] = [take("time"), take("level"), take("msg")];
  const paint = (color: string, text: string) => (colors ? `${color}${text}${PLAIN}` : text);
  return [
    paint(DIM, time.slice("2026-01-01T".length, -1)),
    paint(levelColors.get(level) ?? "", level.toUpperCase().padEnd(LEVEL_WIDTH)),
    escapeText(message),
    ...[...fields].map(([name, value]) => `${paint(DIM, `${escapeText(name)}=`)}${printValue(value)}`),
  ].join(" ");
}

function printValue(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@-]+$/.test(value)) return value;
  return escapeText(JSON.stringify(value) ?? "");
}

/** Control characters and the marks that reorder text would let a value draw on the reader's terminal. */
function escapeText(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

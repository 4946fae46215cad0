// The few words and signs that all our texts share.
//
// A report is a value; a printer makes text of it:
//   format.ts                                           text, JSON or YAML
//   plan-report.ts, variant-groups.ts, print-plan.ts    plan
//   status-report.ts, fleet-matrix.ts, print-status.ts  status
//   print-explanation.ts, print-fields.ts               explain
export type Colour = "bold" | "green" | "yellow" | "red" | "dim";

/** Colours a text, or leaves it as it is where nobody could see it. */
export type Paint = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, number>> = { bold: 1, green: 32, yellow: 33, red: 31, dim: 2 };

/** For a terminal. */
export const colourful: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;
/** For files, pipes and whoever does not want colours. */
export const plain: Paint = (_colour, text) => text;

const MARKS = {
  create: ["+", "green"],
  change: ["~", "yellow"],
  delete: ["-", "red"],
  build: ["!", "yellow"],
  label: ["~", "yellow"],
  unfit: ["x", "red"],
  held: ["…", "yellow"],
} as const satisfies Readonly<Record<string, readonly [string, Colour]>>;

/** The sign that stands before a line. */
export function mark(kind: keyof typeof MARKS, paint: Paint): string {
  const [sign, colour] = MARKS[kind];
  return paint(colour, sign);
}

/** `1 node`, `3 nodes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `and 3 more`, as a line where there are more than are shown. */
export function andMore(count: number): readonly string[] {
  return count > 0 ? [`and ${count} more`] : [];
}

/** The names, and how many more there are. */
export function namesAndMore(names: readonly string[], count: number): string {
  return [names.join(" "), ...andMore(count - names.length)].join(" ");
}

export function emptyLines(count: number): readonly string[] {
  return Array(count).fill("");
}

/** Columns as wide as their widest cell, two spaces apart; no trailing blanks. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

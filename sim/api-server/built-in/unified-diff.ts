// The difference between two texts as a unified diff, in the form in which the real server prints it: hunks without headers.

/** Lines shown around a change. */
const CONTEXT_LINES = 3;
/** Texts that differ over a longer stretch are shown as replaced: finding what they share would cost its square. */
const STRETCH_LINES_MAX = 1500;

type Edit = { readonly mark: " " | "-" | "+"; readonly line: string };

/** The hunks that lead from one text to the other; empty when they are equal. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const edits = editsBetween(before, after);
  const changes = edits.flatMap(({ mark }, at) => (mark === " " ? [] : [at]));
  let hunks = "";
  let start = 0;
  for (const [index, at] of changes.entries()) {
    const following = changes[index + 1];
    if (following !== undefined && following - at - 1 <= 2 * CONTEXT_LINES) continue;
    const first = Math.max(0, (changes[start] ?? 0) - CONTEXT_LINES);
    hunks += hunkText(edits, first, Math.min(edits.length, at + 1 + CONTEXT_LINES));
    start = index + 1;
  }
  return hunks;
}

function hunkText(edits: readonly Edit[], from: number, to: number): string {
  const shown = edits.slice(from, to);
  const range = (skipped: Edit["mark"]) => {
    const count = (part: readonly Edit[]) => part.filter(({ mark }) => mark !== skipped).length;
    const [above, length] = [count(edits.slice(0, from)), count(shown)];
    return length === 1 ? `${above + 1}` : `${length === 0 ? above : above + 1},${length}`;
  };
  return `@@ -${range("+")} +${range("-")} @@\n${shown.map(({ mark, line }) => `${mark}${line}\n`).join("")}`;
}

/** What both share stays; between that, lines go before others come. */
function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const marked = (mark: Edit["mark"], lines: readonly string[]) => lines.map((line): Edit => ({ mark, line }));
  const [gone, come] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const edits = marked(" ", before.slice(0, head));
  let [left, right] = [0, 0];
  for (const [inGone, inCome] of sharedLines(gone, come)) {
    edits.push(...marked("-", gone.slice(left, inGone)), ...marked("+", come.slice(right, inCome)));
    edits.push(...marked(" ", gone.slice(inGone, inGone + 1)));
    [left, right] = [inGone + 1, inCome + 1];
  }
  edits.push(...marked("-", gone.slice(left)), ...marked("+", come.slice(right)));
  return [...edits, ...marked(" ", before.slice(before.length - tail))];
}

/** The places of the longest common sequence. */
function sharedLines(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  if (Math.max(left.length, right.length) > STRETCH_LINES_MAX) return [];
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const shared: [number, number][] = [];
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) shared.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return shared;
}

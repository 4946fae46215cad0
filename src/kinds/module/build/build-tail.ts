// The end of a build's log, as people should read it in a status: the last lines, printable and not too many.
import type { Snapshot } from "../../../core/decision/snapshot.ts";
import type { BuildTask } from "./build-task.ts";

export const TAIL_LINES_MAX = 12;
export const TAIL_LINE_LENGTH_MAX = 200;
const TAIL_LENGTH_MAX = 1_500;
/** The escape sequences of terminals, then whatever else cannot be printed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what begins with one is what has to go
const TERMINAL = /\u001b\[[0-9;?]*[A-Za-z]/g;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const DIGEST = /\bsha256:[a-f0-9]{64}\b/;

/** The last lines that the newest pod of a task left; empty when it left none. */
export function tailOf(snapshot: Snapshot, { uid }: Pick<BuildTask, "uid">): string {
  const words = lastWordsOf(snapshot, uid);
  const lines = words
    .split(/\r?\n/)
    .map((line) => line.replace(TERMINAL, "").replace(UNPRINTABLE, "\ufffd").trimEnd())
    .filter((line) => line !== "");
  const tail = lines.slice(-TAIL_LINES_MAX).map((line) => line.slice(0, TAIL_LINE_LENGTH_MAX));
  return tail.join("\n").slice(-TAIL_LENGTH_MAX);
}

/** The digest that the pod of a task which succeeded left as its last words; not every builder does. */
export function digestFrom(snapshot: Snapshot, { uid }: Pick<BuildTask, "uid">): string | undefined {
  return DIGEST.exec(lastWordsOf(snapshot, uid))?.[0];
}

function lastWordsOf(snapshot: Snapshot, uid: string): string {
  const pods = snapshot.podsOf(uid).toSorted((a, b) => (b.createdMs ?? 0) - (a.createdMs ?? 0));
  return pods.find(({ lastWords }) => lastWords !== "")?.lastWords ?? "";
}

// What the other rules stand on: every file of src/ lies in a room, and every program can be parsed.
import { type Finding, isCode, type Rule, stop } from "../source-file.ts";

/** What may lie beside the TypeScript of a room. */
const dataFile = /\.(json|ya?ml|md|txt|css|html)$/;

/** Every file of src/ lies in a room of the table, as TypeScript or as data. */
export const filesLieInRooms: Rule = (file) => {
  const found: Finding[] = [];
  if (!/^(src|sim)\//.test(file.path)) return found;
  if (file.room === undefined)
    found.push(stop(file, 0, "room", "lies in no room: move it into one, or give its room a line in rooms.ts"));
  if (!file.path.endsWith(".ts") && !dataFile.test(file.path)) {
    const remedy = isCode(file.path) ? "write it as .ts" : "the rooms hold TypeScript and data only";
    found.push(stop(file, 0, "room", `has an ending that no rule reads: ${remedy}`));
  }
  return found;
};

/** Every program can be parsed: a file that cannot be read cannot be judged. */
export const filesParse: Rule = (file) =>
  file.syntaxErrors.map((message) => stop(file, 0, "syntax", `does not parse: ${message}`));

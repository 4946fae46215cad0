// Each room keeps to its own business: words that belong to another room are named, with what to say instead.
import { type Finding, type Rule, stop } from "../source-file.ts";

/** No banned word of the room occurs in its files, as a word of its own or inside a name. */
export const roomsKeepTheirWords: Rule = (file) => {
  if (file.room === undefined || file.isTest) return [];
  const spaced = spaceOut(file.text);
  return Object.entries(file.room.bannedWords).flatMap(([word, instead]): readonly Finding[] => {
    const at = spaced.search(new RegExp(`\\b${word.replaceAll(" ", "[ _-]?")}s?\\b`));
    if (at === -1) return [];
    const line = spaced.slice(0, at).split("\n").length;
    const offset =
      file.text
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + 1;
    return [
      stop(file, offset, "words", `says "${word}", which is not the business of ${file.room?.name}/: say ${instead}`),
    ];
  });
};

/** Puts blanks between the words of camelCase names, line by line, and lowers the case. */
function spaceOut(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

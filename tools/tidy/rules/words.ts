// Each room keeps to its own business: words that belong to another room are named, with what to say instead.
import { type Finding, type Rule, type SourceFile, stop } from "../source-file.ts";
import { spaceOut } from "../split-words.ts";

/** Words of programming that hold one of ours: they are looked past. */
const notOurs =
  /node:module|getBuiltinModule|node_modules|\b(Node|ES) modules?\b|(\bi|I)nvariant|INVARIANT|\bco(ntra)?variant/g;

/** No banned word of the room occurs in its files or their paths, as a word of its own or inside a name. */
export const roomsKeepTheirWords: Rule = (file) => {
  if (file.room === undefined || file.isTest) return [];
  const lines = [file.path.slice(file.room.at.length), ...file.text.split("\n")].map(readable);
  return Object.entries(file.room.bannedWords).flatMap(([word, instead]): readonly Finding[] => {
    const pattern = patternOf(word);
    const at = lines.findIndex((line) => pattern.test(line));
    return at === -1 ? [] : [{ ...complain(file, word, instead), line: Math.max(at, 1) }];
  });
};

/** One word is found inside others too (`kernelversion`); of two, the last ends where it stands (`patch settles`). */
function patternOf(words: string): RegExp {
  return words.includes(" ") ? new RegExp(`${words.replace(" ", "[ -]?")}s?\\b`) : new RegExp(words);
}

function readable(line: string): string {
  return spaceOut(line.replace(notOurs, ""));
}

function complain(file: SourceFile, word: string, instead: string): Finding {
  return stop(file, 0, "words", `says "${word}", which is not the business of ${file.room?.name}/: say ${instead}`);
}

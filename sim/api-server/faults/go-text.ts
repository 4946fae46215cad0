// A JSON value as Go prints it in messages: as a literal (`%#v`), plainly (`%v`), or as a quoted text (`%q`).
import { isJsonList, isJsonObject, type Json } from "../../../src/core/json/json.ts";

/** The text of a value. */
export function goText(value: Json, isLiteral: boolean): string {
  const separator = isLiteral ? ", " : " ";
  if (isJsonList(value)) {
    const items = value.map((item) => goText(item, isLiteral)).join(separator);
    return isLiteral ? `[]interface {}{${items}}` : `[${items}]`;
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value).sort();
    const fields = keys.map(
      (key) => `${isLiteral ? JSON.stringify(key) : key}:${goText(value[key] ?? null, isLiteral)}`,
    );
    return isLiteral ? `map[string]interface {}{${fields.join(separator)}}` : `map[${fields.join(separator)}]`;
  }
  if (value === null) return isLiteral ? "interface {}(nil)" : "<nil>";
  return isLiteral && typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** What Go takes for a character that nobody can see: everything but letters, marks, numbers, punctuation, symbols and the space. */
export const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A text in quotes, what cannot be seen as its number. */
export function goQuoted(text: string): string {
  const shown = JSON.stringify(text.replace(unprintable, "\0")).slice(1, -1);
  const hidden = [...text.matchAll(unprintable)].map(([character]) => escaped(character.codePointAt(0) ?? 0));
  return `"${shown.replaceAll("\\u0000", () => hidden.shift() ?? "")}"`;
}

function escaped(code: number): string {
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

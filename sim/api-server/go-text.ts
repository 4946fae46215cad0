// A JSON value as Go prints it in messages: as a literal (`%#v`) or plainly (`%v`).
import { isJsonList, isJsonObject, type Json } from "../../src/core/json.ts";

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

// The settings of `farrier run` as a file: YAML with one key for each setting.
import { parse } from "yaml";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { CommandError } from "../command-error.ts";

/** The content of a settings file; throws with the place of a fault. */
export function readSettingsFile(name: string, text: string): JsonObject {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    throw new CommandError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (content === null || content === undefined) return {};
  if (!isJsonObject(content)) throw new CommandError(`${name}: is no map of settings`);
  return content;
}

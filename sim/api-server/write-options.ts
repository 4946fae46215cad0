// What the query of a write asks for beside the write itself, and who writes.

import type { ApiRequest } from "./api-request.ts";
import { unsupportedValue } from "./field-error.ts";
import { badRequest, invalidOptions } from "./status.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export type WriteOptions = {
  readonly isDryRun: boolean;
  readonly manager: string;
  readonly isForced: boolean;
  readonly fieldValidation: FieldValidation;
  /** What the answer will say beside the object; collected on the way. */
  readonly warnings: string[];
};

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Reads the options of a write; `kind` names them in refusals. */
export function readWriteOptions({ query, headers, warnings }: ApiRequest, kind: OptionsKind): WriteOptions {
  const validation = query.get("fieldValidation") ?? "Warn";
  if (validation !== "Ignore" && validation !== "Warn" && validation !== "Strict")
    throw invalidOptions(kind, [unsupportedValue("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"])]);
  const force = query.get("force");
  if (force !== null && force !== "true" && force !== "false")
    throw badRequest(`strconv.ParseBool: parsing ${JSON.stringify(force)}: invalid syntax`);
  return {
    isDryRun: readDryRun(query.getAll("dryRun"), kind),
    manager: query.get("fieldManager") || agentName(headers["user-agent"] ?? ""),
    isForced: force === "true",
    fieldValidation: validation,
    warnings,
  };
}

/** True for `All`, the only kind of dry run there is. */
export function readDryRun(values: readonly unknown[], kind: OptionsKind | "DeleteOptions"): boolean {
  const odd = values.find((value) => value !== "All");
  if (odd !== undefined) throw invalidOptions(kind, [unsupportedValue("dryRun", String(odd), ["All"])]);
  return values.length > 0;
}

/** Who does not name itself is named by the program it says it is. */
function agentName(userAgent: string): string {
  return userAgent.split("/")[0] || "unknown";
}

// What the query of a write asks for beside the write itself, and who writes.

import type { Json } from "../../../src/core/json/json.ts";
import {
  type FieldError,
  forbiddenValue,
  requiredValue,
  tooLongValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { goQuoted, unprintable } from "../faults/go-text.ts";
import { invalidOptions } from "../faults/status.ts";
import { type ApiRequest, mediaType } from "./api-request.ts";
import { isTrue } from "./list-query.ts";

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

const WRITER_BYTES_MAX = 128;

/** Reads the options of a write; `kind` names them in refusals, which say everything that is wrong, in the real server's order. */
export function readWriteOptions(request: ApiRequest, kind: OptionsKind): WriteOptions {
  const { query, headers, warnings } = request;
  const validation = query.get("fieldValidation") || "Warn";
  const writer = query.get("fieldManager") ?? "";
  const dryRun = query.getAll("dryRun");
  const errors = [
    ...(kind === "PatchOptions" ? patchFaults(request, writer) : []),
    ...writerFaults(writer),
    ...dryRunFaults(dryRun),
  ];
  const isKnown = validation === "Ignore" || validation === "Warn" || validation === "Strict";
  if (isKnown && errors.length === 0) {
    return {
      isDryRun: dryRun.length > 0,
      manager: writer || agentName(headers["user-agent"] ?? ""),
      isForced: isTrue(query.get("force")),
      fieldValidation: validation,
      warnings,
    };
  }
  const unknown = unsupportedValue("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]);
  throw invalidOptions(kind, isKnown ? errors : [...errors, unknown]);
}

/** True for `All`, the only kind of dry run there is. */
export function readDryRun(values: readonly Json[], kind: "DeleteOptions"): boolean {
  const errors = dryRunFaults(values);
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return values.length > 0;
}

function dryRunFaults(values: readonly Json[]): readonly FieldError[] {
  return values.every((value) => value === "All") ? [] : [unsupportedValue("dryRun", values, ["All"])];
}

/** Only who applies owns fields under a name of its own, and only there is anything to force. */
function patchFaults(request: ApiRequest, writer: string): readonly FieldError[] {
  if (mediaType(request) !== "application/apply-patch+yaml")
    return request.query.has("force") ? [forbiddenValue("force", "may not be specified for non-apply patch")] : [];
  return writer === "" ? [requiredValue("fieldManager", "is required for apply patch")] : [];
}

function writerFaults(writer: string): readonly FieldError[] {
  const isTooLong = Buffer.byteLength(writer) > WRITER_BYTES_MAX;
  const odd = [...writer.matchAll(unprintable)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const place = Buffer.byteLength(writer.slice(0, index));
    const message = `Invalid value: ${goQuoted(writer)}: invalid character U+${code} (at position ${place})`;
    return { reason: "FieldValueInvalid", field: "fieldManager", message } as const;
  });
  return [...(isTooLong ? [tooLongValue("fieldManager", WRITER_BYTES_MAX)] : []), ...odd];
}

/** Who does not name itself is named by the program it says it is. */
function agentName(userAgent: string): string {
  return userAgent.split("/")[0] || "unknown";
}

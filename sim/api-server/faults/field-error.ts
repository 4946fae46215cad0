// A fault of one field in the words of the real server: what becomes a cause in the details of a 422 answer.
// Schemas, built-in rules and metadata all report their faults as these values.
import type { Json } from "../../../src/core/json/json.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";

export type FieldErrorReason =
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueRequired"
  | "FieldValueForbidden"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

export type FieldError = {
  readonly reason: FieldErrorReason;
  /** `spec.containers[0].name`; the server writes `<nil>` for the whole object. */
  readonly field: string;
  /** With its opening words: `Invalid value: 0: must be greater than 0`. */
  readonly message: string;
};

/** The value is not one of those that are right. */
export function invalidValue(field: string, value: Json, detail: string): FieldError {
  return { reason: "FieldValueInvalid", field, message: withDetail(`Invalid value: ${printJson(value)}`, detail) };
}

/** A value must be there. */
export function requiredValue(field: string, detail = ""): FieldError {
  return { reason: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

/** No value is right here, now. */
export function forbiddenValue(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: withDetail("Forbidden", detail) };
}

/** The value is not in the list of those that are supported. */
export function unsupportedValue(field: string, value: Json, supported: readonly string[]): FieldError {
  const listed = supported.map((each) => printJson(each)).join(", ");
  const detail = supported.length === 0 ? "" : `supported values: ${listed}`;
  return {
    reason: "FieldValueNotSupported",
    field,
    message: withDetail(`Unsupported value: ${printJson(value)}`, detail),
  };
}

/** The value is there already. */
export function duplicateValue(field: string, value: Json): FieldError {
  return { reason: "FieldValueDuplicate", field, message: `Duplicate value: ${printJson(value)}` };
}

/** The value has more bytes than it may have. */
export function tooLongValue(field: string, bytesMax: number): FieldError {
  return { reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${bytesMax} bytes` };
}

function withDetail(words: string, detail: string): string {
  return detail === "" ? words : `${words}: ${detail}`;
}

// The scale subresource reads its numbers from paths of the object, so the real server refuses an object that has something
// else there; it says so beside what the schema says.
import { isJsonList, isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { type FieldError, invalidValue } from "../faults/field-error.ts";
import { goText } from "../faults/go-text.ts";
import type { ScalePaths } from "../resource-type.ts";

const REPLICAS_MAX = 2 ** 31 - 1;

/** The faults of the replicas that an object claims to have; a status write is asked only for those of status. */
export function validateScale(scale: ScalePaths | undefined, object: Json, part?: "status"): readonly FieldError[] {
  if (scale === undefined) return [];
  const paths = part === "status" ? [scale.statusReplicasPath] : [scale.specReplicasPath, scale.statusReplicasPath];
  return paths.flatMap((path) => {
    const steps = path.split(".").slice(1);
    const holders = steps.map((_, at) => steps.slice(0, at).reduce<Json | undefined>(valueAt, object));
    // A null holds nothing, which is no fault of the path.
    const odd = holders.find((holder) => holder !== undefined && holder !== null && !isJsonObject(holder));
    if (odd !== undefined) return [accessFault(path, odd, "map[string]interface{}")];
    const value = steps.reduce<Json | undefined>(valueAt, object);
    return value === undefined ? [] : replicaFaults(path, value);
  });
}

function valueAt(holder: Json | undefined, key: string): Json | undefined {
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function replicaFaults(path: string, value: Json): readonly FieldError[] {
  if (!Number.isInteger(value) || typeof value !== "number") {
    return [accessFault(path, value, "int64")];
  }
  if (value < 0) return [invalidValue(path, value, "should be a non-negative integer")];
  if (value > REPLICAS_MAX) return [invalidValue(path, value, `should be less than or equal to ${REPLICAS_MAX}`)];
  return [];
}

function accessFault(path: string, value: Json, expected: string): FieldError {
  const because = `${goText(value, false)} is of the type ${goType(value)}, expected ${expected}`;
  return invalidValue(path, 0, `${path} accessor error: ${because}`);
}

function goType(value: Json): string {
  if (isJsonList(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (value === null) return "<nil>";
  if (Number.isInteger(value) || typeof value === "bigint") return "int64";
  return typeof value === "number" ? "float64" : typeof value === "boolean" ? "bool" : "string";
}

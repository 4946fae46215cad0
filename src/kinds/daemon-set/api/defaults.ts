// The defaults of an advanced DaemonSet that depend on other fields, which a schema cannot say: what Kruise's webhook fills in.
// The parser gives the same meaning to an object without them, so a cluster without our webhook works alike.
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";

/** The object with Kruise's defaults; the very object if it has them all. Works on both versions, never throws. */
export function withDefaults(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isJsonObject(spec)) return object;
  const filled = withStrategy({ burstReplicas: 250, revisionHistoryLimit: 10, ...withoutNulls(spec) });
  return isSame(filled, spec) ? object : { ...object, spec: filled };
}

/** What is of another type stays as it is, for the schema to refuse: a default in its place would hide what its author meant. */
function withStrategy(spec: JsonObject): JsonObject {
  const { updateStrategy: written = {} } = spec;
  if (!isJsonObject(written)) return spec;
  const { type = "", ...rest } = withoutNulls(written);
  const strategy: JsonObject = { type: type === "" ? "RollingUpdate" : type, ...rest };
  const updateStrategy = strategy.type === "RollingUpdate" ? withRollingUpdate(strategy) : strategy;
  return { ...spec, updateStrategy: isSame(updateStrategy, written) ? written : updateStrategy };
}

function withRollingUpdate(strategy: JsonObject): JsonObject {
  const { rollingUpdate: written = {} } = strategy;
  if (!isJsonObject(written)) return strategy;
  const rollingUpdate = withBudget(written);
  return { ...strategy, rollingUpdate: isSame(rollingUpdate, written) ? written : rollingUpdate };
}

function withBudget(written: JsonObject): JsonObject {
  const rolling: JsonObject = withoutNulls(written);
  const { rollingUpdateType: type = "", maxUnavailable, maxSurge } = rolling;
  if (type === "Surging") return { maxSurge: 1, maxUnavailable: 0, ...rolling };
  const typed: JsonObject = type === "" ? { ...rolling, rollingUpdateType: "Standard" } : rolling;
  const hasBudget = maxUnavailable !== undefined || maxSurge !== undefined;
  return hasBudget ? typed : { ...typed, maxUnavailable: 1, maxSurge: 0 };
}

function withoutNulls(object: JsonObject): JsonObject {
  if (Object.values(object).every((value) => value !== null)) return object;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** True if both hold the very same values. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

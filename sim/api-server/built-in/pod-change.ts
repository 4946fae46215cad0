// What may change in a pod's spec after it was created: images, deadlines, more tolerations, fewer scheduling gates. For
// everything else the real server prints the difference between the two specs as it holds them inside; so does this one.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, numberAt, objectAt, withFields } from "../api-object.ts";
import { type FieldError, forbiddenValue, invalidValue, requiredValue } from "../faults/field-error.ts";
import { isSameJson } from "../same-json.ts";
import { podInternalFields } from "./pod-internal-fields.generated.ts";
import { unifiedDiff } from "./unified-diff.ts";

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

/** The faults of a change of a pod, beside those of its new state. */
export function podChangeFaults(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, was] = [objectAt(next, "spec"), objectAt(old, "spec")];
  if (isSameJson(spec, was)) return [];
  for (const list of ["containers", "initContainers"]) {
    if (listAt(spec, list).length !== listAt(was, list).length)
      return [forbiddenValue(`spec.${list}`, "pod updates may not add or remove containers")];
  }
  const tooLate = deadlineFaults(spec, was);
  if (tooLate.length > 0 && spec.activeDeadlineSeconds !== undefined) return tooLate;
  const allowed = withAllowedFields(spec, was);
  const difference = isSameJson(allowed, was) ? "" : unifiedDiff(internalLines(was), internalLines(allowed));
  return [
    ...["containers", "initContainers"].flatMap((list) => imageFaults(spec, list)),
    ...tooLate,
    ...tolerationFaults(spec, was),
    ...gateFaults(spec, was),
    ...(difference === ""
      ? []
      : [
          forbiddenValue("spec", `pod updates may not change fields other than ${changeable.join(",")}\n${difference}`),
        ]),
  ];
}

/** The real server asks for images a second time. */
function imageFaults(spec: JsonObject, list: string): readonly FieldError[] {
  return listAt(spec, list).flatMap((container, index) =>
    isJsonObject(container) && container.image === undefined ? [requiredValue(`spec.${list}[${index}].image`)] : [],
  );
}

/** The new spec with everything that may change set back. */
function withAllowedFields(spec: JsonObject, was: JsonObject): JsonObject {
  const images = (list: string) => {
    const before = listAt(was, list);
    if (spec[list] === undefined) return undefined;
    return listAt(spec, list).map((container, index): Json => {
      const other = before[index];
      return isJsonObject(container) && isJsonObject(other) ? withFields(container, { image: other.image }) : container;
    });
  };
  const { terminationGracePeriodSeconds: grace } = spec;
  const wasNegative = (numberAt(was, "terminationGracePeriodSeconds") ?? 0) < 0;
  return withFields(spec, {
    ...{ containers: images("containers"), initContainers: images("initContainers") },
    ...{ activeDeadlineSeconds: was.activeDeadlineSeconds, tolerations: was.tolerations },
    schedulingGates: was.schedulingGates,
    terminationGracePeriodSeconds: wasNegative && grace === 1 ? was.terminationGracePeriodSeconds : grace,
  });
}

function deadlineFaults(spec: JsonObject, was: JsonObject): readonly FieldError[] {
  const [seconds, before] = [numberAt(spec, "activeDeadlineSeconds"), numberAt(was, "activeDeadlineSeconds")];
  const field = "spec.activeDeadlineSeconds";
  if (before === undefined || seconds === before) return [];
  if (seconds === undefined) return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  return seconds > before ? [invalidValue(field, seconds, "must be less than or equal to previous value")] : [];
}

/** A toleration may be added, or bear a node's trouble for another time. */
function tolerationFaults(spec: JsonObject, was: JsonObject): readonly FieldError[] {
  const timeless = (each: Json) => (isJsonObject(each) ? withFields(each, { tolerationSeconds: undefined }) : each);
  const now = listAt(spec, "tolerations").map(timeless);
  const isKept = listAt(was, "tolerations").every((each) => now.some((other) => isSameJson(timeless(each), other)));
  if (isKept) return [];
  return [forbiddenValue("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function gateFaults(spec: JsonObject, was: JsonObject): readonly FieldError[] {
  const before = listAt(was, "schedulingGates");
  return listAt(spec, "schedulingGates").flatMap((gate, index) => {
    if (before.some((each) => isSameJson(each, gate))) return [];
    const name = isJsonObject(gate) ? gate.name : "";
    const because = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbiddenValue(`spec.schedulingGates[${index}].name`, because)];
  });
}

/** The spec as Go prints its internal form: every field, by its name in Go. */
function internalLines(spec: JsonObject): readonly string[] {
  // Inside the server, what a pod shares with its host belongs to its security context.
  const { hostNetwork = false, hostPID = false, hostIPC = false, shareProcessNamespace, hostUsers } = spec;
  const shared = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  const securityContext = withFields(objectAt(spec, "securityContext"), shared);
  const internal = internalValue("PodSpec", withFields(spec, { securityContext }));
  const text = JSON.stringify(internal, undefined, 1).replaceAll(
    /[<>&]/g,
    (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`,
  );
  return text.split("\n");
}

function internalValue(type: string, value: Json | undefined): Json {
  if (type.startsWith("*")) return value === undefined ? null : internalValue(type.slice(1), value);
  if (type.startsWith("[]")) return isJsonList(value) ? value.map((item) => internalValue(type.slice(2), item)) : null;
  if (type.startsWith("{}")) return isJsonObject(value) ? sorted(value) : null;
  if (!Object.hasOwn(podInternalFields, type)) return value ?? { string: "", bool: false, number: 0 }[type] ?? null;
  const object = isJsonObject(value) ? value : {};
  const fields = (podInternalFields[type] ?? "").split(",").map((field) => field.split(" "));
  return Object.fromEntries(
    fields.map(([name = "", json = "", kind = ""]) => [name, internalValue(kind, object[json])]),
  );
}

function sorted(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

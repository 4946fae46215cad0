// What the real server refuses in a container: its image, variables, mounts and resources.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { compareQuantities, parseQuantity } from "../../../src/core/values/quantity.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { envFaults } from "./env-faults.ts";
import { portFaults } from "./port-faults.ts";
import { probeFaults } from "./probe-faults.ts";
import { pathFaults } from "./volume-faults.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];
const propagations = ["Bidirectional", "HostToContainer", "None"];
const standardResources = ["cpu", "memory", "ephemeral-storage"];
const ID_MAX = 2 ** 31 - 1;

/** The faults of one container beside those of its name. */
export function containerFaults(
  container: JsonObject,
  at: string,
  { volumes, hasProbes }: { readonly volumes: ReadonlySet<string>; readonly hasProbes: boolean },
): readonly FieldError[] {
  const [pull, message] = [textAt(container, "imagePullPolicy"), textAt(container, "terminationMessagePolicy")];
  return [
    ...imageFaults(textAt(container, "image"), `${at}.image`),
    ...(pullPolicies.includes(pull) ? [] : [unsupportedValue(`${at}.imagePullPolicy`, pull, pullPolicies)]),
    ...(messagePolicies.includes(message)
      ? []
      : [unsupportedValue(`${at}.terminationMessagePolicy`, message, messagePolicies)]),
    ...portFaults(container, at),
    ...envFaults(container, at),
    ...mountFaults(container, at, volumes),
    ...resourceFaults(objectAt(container, "resources"), `${at}.resources`),
    ...idFaults(objectAt(container, "securityContext"), ["runAsUser", "runAsGroup"], `${at}.securityContext`),
    ...probeFaults(container, at, hasProbes),
  ];
}

/** The faults of the numbers of users and groups. */
export function idFaults(context: JsonObject, keys: readonly string[], at: string): readonly FieldError[] {
  return keys.flatMap((key) => {
    const id = numberAt(context, key) ?? 0;
    const isId = id >= 0 && id <= ID_MAX;
    return isId ? [] : [invalidValue(`${at}.${key}`, id, `must be between 0 and ${ID_MAX}, inclusive`)];
  });
}

function imageFaults(image: string, field: string): readonly FieldError[] {
  if (image === "") return [requiredValue(field)];
  return image === image.trim() ? [] : [invalidValue(field, image, "must not have leading or trailing whitespace")];
}

function mountFaults(container: JsonObject, at: string, volumes: ReadonlySet<string>): readonly FieldError[] {
  const taken = new Set<string>();
  const isPrivileged = objectAt(container, "securityContext").privileged === true;
  return listAt(container, "volumeMounts").flatMap((mount, index) => {
    if (!isJsonObject(mount)) return [];
    const [name, path] = [textAt(mount, "name"), textAt(mount, "mountPath")];
    const place = `${at}.volumeMounts[${index}]`;
    const isTaken = path !== "" && taken.has(path);
    taken.add(path);
    return [
      ...(volumes.has(name) ? [] : [notFound(`${place}.name`, name)]),
      ...(path === "" ? [requiredValue(`${place}.mountPath`)] : []),
      ...(isTaken ? [invalidValue(`${place}.mountPath`, path, "must be unique")] : []),
      // The real server leaves out which mount it is.
      ...pathFaults(mount, "subPath", `${at}.volumeMounts`),
      ...propagationFaults(textAt(mount, "mountPropagation"), `${at}.volumeMounts.mountPropagation`, isPrivileged),
    ];
  });
}

function propagationFaults(propagation: string, field: string, isPrivileged: boolean): readonly FieldError[] {
  if (propagation === "") return [];
  if (!propagations.includes(propagation)) return [unsupportedValue(field, propagation, propagations)];
  if (propagation !== "Bidirectional" || isPrivileged) return [];
  return [forbiddenValue(field, "Bidirectional mount propagation is available only to privileged containers")];
}

function notFound(field: string, value: string): FieldError {
  return { reason: "FieldValueNotFound", field, message: `Not found: ${JSON.stringify(value)}` };
}

function resourceFaults(resources: JsonObject, at: string): readonly FieldError[] {
  const [limits, requests] = [objectAt(resources, "limits"), objectAt(resources, "requests")];
  return [
    ...amountFaults(limits, `${at}.limits`),
    ...amountFaults(requests, `${at}.requests`),
    ...Object.keys(requests).flatMap((name) => requestFaults(name, textAt(requests, name), textAt(limits, name), at)),
  ];
}

function amountFaults(amounts: JsonObject, at: string): readonly FieldError[] {
  return Object.keys(amounts).flatMap((name) => {
    const [amount, field] = [textAt(amounts, name), `${at}[${name}]`];
    const isStandard = name.includes("/") || standardResources.includes(name) || name.startsWith("hugepages-");
    return [
      ...(isStandard
        ? []
        : ["type or fully qualified", "for containers"].map((words) =>
            invalidValue(field, name, `must be a standard resource ${words}`),
          )),
      ...(amount.startsWith("-") ? [invalidValue(field, amount, "must be greater than or equal to 0")] : []),
      // Quantities are written in their one way: what is no integer ends in one of these.
      ...(isExtended(name) && /[mun]$/.test(amount) ? [invalidValue(field, amount, "must be an integer")] : []),
    ];
  });
}

function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/");
}

/** A request is at most the limit; of what cannot be shared out twice it is the limit. */
function requestFaults(name: string, request: string, limit: string, at: string): readonly FieldError[] {
  const isWhole = isExtended(name) || name.startsWith("hugepages-");
  if (limit === "")
    return isWhole ? [requiredValue(`${at}.limits`, "Limit must be set for non overcommitable resources")] : [];
  const [asked, most] = [parseQuantity(request), parseQuantity(limit)];
  const order = asked.ok && most.ok ? compareQuantities(asked.value, most.value) : 0;
  const isKept = isWhole ? order === 0 : order <= 0;
  const relation = isWhole ? "equal to" : "less than or equal to";
  return isKept ? [] : [invalidValue(`${at}.requests`, request, `must be ${relation} ${name} limit of ${limit}`)];
}

// What the real server refuses in the spec of a pod or a pod template, as far as the operator and its users can meet it.
import { isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { dnsLabelFaults } from "../faults/name-syntax.ts";
import { containerFaults, idFaults } from "./container-faults.ts";
import { placementFaults, placementFields } from "./placement-faults.ts";
import { hostPortFaults } from "./port-faults.ts";
import { labelsFaults } from "./selector-faults.ts";
import { volumeFaults } from "./volume-faults.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const SECONDS_MAX = 2 ** 31 - 1;

/** The faults of a pod's spec that stands at `path`; what it shares with one that was found to be sound has none. */
export function podSpecFaults(spec: JsonObject, path: string, sound: JsonObject = {}): readonly FieldError[] {
  if (spec === sound) return [];
  return [...(differsOnlyInPlace(spec, sound) ? [] : contentFaults(spec, path)), ...placementFaults(spec, path, sound)];
}

/** True for the pods of one set, which have a node each and everything else in common. */
function differsOnlyInPlace(spec: JsonObject, sound: JsonObject): boolean {
  for (const key in spec) if (spec[key] !== sound[key] && !placementFields.has(key)) return false;
  for (const key in sound) if (spec[key] === undefined && !placementFields.has(key)) return false;
  return true;
}

function contentFaults(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = objectsAt(spec, "volumes");
  const containers = objectsAt(spec, "containers");
  const named = new Set(volumes.map(nameOf));
  return [
    ...namedFaults(volumes, `${path}.volumes`),
    ...volumes.flatMap((volume, index) => volumeFaults(volume, `${path}.volumes[${index}]`)),
    ...(containers.length === 0 ? [requiredValue(`${path}.containers`)] : []),
    ...namedFaults(containers, `${path}.containers`),
    ...containers.flatMap((container, index) =>
      containerFaults(container, `${path}.containers[${index}]`, { volumes: named, hasProbes: true }),
    ),
    ...hostPortFaults(containers, `${path}.containers`, spec.hostNetwork === true),
    ...namedFaults(objectsAt(spec, "initContainers"), `${path}.initContainers`, containers),
    ...objectsAt(spec, "initContainers").flatMap((container, index) => {
      const hasProbes = container.restartPolicy === "Always";
      return containerFaults(container, `${path}.initContainers[${index}]`, { volumes: named, hasProbes });
    }),
    ...plainFaults(spec, path),
  ];
}

/** The faults of a pod template; the real server names its metadata without saying "metadata". */
export function templateFaults(object: JsonObject, old: JsonObject = {}): readonly FieldError[] {
  const [template, sound] = [templateOf(object), templateOf(old)];
  if (template === sound) return [];
  return [
    ...labelsFaults(objectAt(objectAt(template, "metadata"), "labels"), "spec.template.labels"),
    ...podSpecFaults(objectAt(template, "spec"), "spec.template.spec", objectAt(sound, "spec")),
  ];
}

function templateOf(object: JsonObject): JsonObject {
  return objectAt(objectAt(object, "spec"), "template");
}

function plainFaults(spec: JsonObject, path: string): readonly FieldError[] {
  const [policy, dns, hostname] = [textAt(spec, "restartPolicy"), textAt(spec, "dnsPolicy"), textAt(spec, "hostname")];
  const seconds = numberAt(spec, "activeDeadlineSeconds") ?? 1;
  return [
    ...(restartPolicies.includes(policy) ? [] : [unsupportedValue(`${path}.restartPolicy`, policy, restartPolicies)]),
    ...(dnsPolicies.includes(dns) ? [] : [unsupportedValue(`${path}.dnsPolicy`, dns, dnsPolicies)]),
    ...(dns === "None" && spec.dnsConfig === undefined
      ? [requiredValue(`${path}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None")]
      : []),
    ...(seconds >= 1 && seconds <= SECONDS_MAX
      ? []
      : [invalidValue(`${path}.activeDeadlineSeconds`, seconds, `must be between 1 and ${SECONDS_MAX}, inclusive`)]),
    ...(hostname === "" ? [] : dnsLabelFaults(hostname)).map((fault) =>
      invalidValue(`${path}.hostname`, hostname, fault),
    ),
    ...idFaults(objectAt(spec, "securityContext"), ["runAsUser", "runAsGroup", "fsGroup"], `${path}.securityContext`),
  ];
}

function objectsAt(holder: JsonObject, key: string): readonly JsonObject[] {
  return listAt(holder, key).filter(isJsonObject);
}

function nameOf(member: Json): string {
  return isJsonObject(member) ? textAt(member, "name") : "";
}

/** Members with a DNS label for a name, that no other has. */
function namedFaults(members: JsonList, path: string, others: JsonList = []): readonly FieldError[] {
  const taken = new Set(others.map(nameOf));
  return members.map(nameOf).flatMap((name, index) => {
    const at = `${path}[${index}].name`;
    if (name === "") return [requiredValue(at)];
    const faults = dnsLabelFaults(name).map((fault) => invalidValue(at, name, fault));
    if (taken.has(name)) return [...faults, duplicateValue(at, name)];
    taken.add(name);
    return faults;
  });
}

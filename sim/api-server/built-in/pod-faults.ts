// What the real server refuses in the spec of a pod or a pod template, as far as the operator and its users can meet it.
import { isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json.ts";
import { listAt, objectAt, textAt } from "../api-object.ts";
import { duplicateValue, type FieldError, invalidValue, requiredValue, unsupportedValue } from "../field-error.ts";
import { dnsLabelFaults, labelKeyFaults, labelValueFaults } from "../name-syntax.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** The faults of a pod's spec that stands at `path`. */
export function podSpecFaults(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = listAt(spec, "volumes").filter(isJsonObject);
  const containers = listAt(spec, "containers");
  const policy = textAt(spec, "restartPolicy");
  return [
    ...namedFaults(volumes, `${path}.volumes`),
    ...(containers.length === 0 ? [requiredValue(`${path}.containers`)] : []),
    ...containerFaults(spec, "containers", path),
    ...containerFaults(spec, "initContainers", path, containers),
    ...(restartPolicies.includes(policy) ? [] : [unsupportedValue(`${path}.restartPolicy`, policy, restartPolicies)]),
  ];
}

/** The faults of a pod template; the real server names its metadata without saying "metadata". */
export function templateFaults(object: JsonObject): readonly FieldError[] {
  const template = objectAt(objectAt(object, "spec"), "template");
  const labels = Object.entries(objectAt(objectAt(template, "metadata"), "labels"));
  return [
    ...labels.flatMap(([key, value]) => [
      ...labelKeyFaults(key).map((fault) => invalidValue("spec.template.labels", key, fault)),
      ...labelValueFaults(String(value)).map((fault) => invalidValue("spec.template.labels", value, fault)),
    ]),
    ...podSpecFaults(objectAt(template, "spec"), "spec.template.spec"),
  ];
}

function containerFaults(spec: JsonObject, list: string, path: string, others: JsonList = []): readonly FieldError[] {
  const containers = listAt(spec, list).filter(isJsonObject);
  const volumes = new Set(listAt(spec, "volumes").map((each) => (isJsonObject(each) ? each.name : undefined)));
  return [
    ...namedFaults(containers, `${path}.${list}`, others),
    ...containers.flatMap((container, index) => {
      const at = `${path}.${list}[${index}]`;
      const policy = textAt(container, "imagePullPolicy");
      return [
        ...(textAt(container, "image") === "" ? [requiredValue(`${at}.image`)] : []),
        ...(pullPolicies.includes(policy) ? [] : [unsupportedValue(`${at}.imagePullPolicy`, policy, pullPolicies)]),
        ...listAt(container, "env").flatMap((each, place) =>
          isJsonObject(each) && textAt(each, "name") === "" ? [requiredValue(`${at}.env[${place}].name`)] : [],
        ),
        ...listAt(container, "volumeMounts").flatMap((each, place) => {
          const name = isJsonObject(each) ? textAt(each, "name") : "";
          return volumes.has(name) ? [] : [notFound(`${at}.volumeMounts[${place}].name`, name)];
        }),
      ];
    }),
  ];
}

/** Members with a DNS label for a name, that no other has. */
function namedFaults(members: JsonList, path: string, others: JsonList = []): readonly FieldError[] {
  const nameOf = (member: Json) => (isJsonObject(member) ? textAt(member, "name") : "");
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

function notFound(field: string, value: string): FieldError {
  return { reason: "FieldValueNotFound", field, message: `Not found: ${JSON.stringify(value)}` };
}

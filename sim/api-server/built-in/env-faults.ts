// What the real server refuses in the variables of a container.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, objectAt, textAt } from "../api-object.ts";
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from "../faults/field-error.ts";
import { subdomainFaults } from "../faults/name-syntax.ts";
import { keyFaultsOf } from "./entry-faults.ts";

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const nameWords = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const noSource =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
/** What a variable may take from its pod, beside single labels and annotations. */
const podFields = [
  ...["metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"],
  ...["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"],
];
/** Fields that have a name, but are not for variables. */
const otherFields = [
  "metadata.labels",
  "metadata.annotations",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
];

/** The faults of a container's variables. */
export function envFaults(container: JsonObject, at: string): readonly FieldError[] {
  return listAt(container, "env").flatMap((variable, index) => {
    if (!isJsonObject(variable)) return [];
    const name = textAt(variable, "name");
    const place = `${at}.env[${index}]`;
    return [
      ...(name === "" ? [requiredValue(`${place}.name`)] : []),
      ...(name === "" || /^[ -<>-~]+$/.test(name) ? [] : [invalidValue(`${place}.name`, name, nameWords)]),
      ...(variable.valueFrom === undefined ? [] : sourceFaults(variable, `${place}.valueFrom`)),
    ];
  });
}

function sourceFaults(variable: JsonObject, at: string): readonly FieldError[] {
  const from = objectAt(variable, "valueFrom");
  const [source, ...others] = sources.filter((key) => from[key] !== undefined);
  if (source === undefined) return [invalidValue(at, "", noSource)];
  return [
    ...(textAt(variable, "value") === ""
      ? []
      : [invalidValue(at, "", "may not be specified when `value` is not empty")]),
    ...(others.length === 0 ? [] : [invalidValue(at, "", "may not have more than one field specified at a time")]),
    ...(source === "fieldRef"
      ? fieldFaults(textAt(objectAt(from, source), "fieldPath"), `${at}.fieldRef.fieldPath`)
      : []),
    ...["configMapKeyRef", "secretKeyRef"].flatMap((key) =>
      from[key] === undefined ? [] : keyFaults(objectAt(from, key), `${at}.${key}`),
    ),
  ];
}

function fieldFaults(path: string, field: string): readonly FieldError[] {
  if (path === "") return [requiredValue(field)];
  if (podFields.includes(path) || /^metadata\.(labels|annotations)\['.*'\]$/.test(path)) return [];
  if (otherFields.includes(path)) return [unsupportedValue(field, path, podFields)];
  return [invalidValue(field, path, `error converting fieldPath: field label not supported: ${path}`)];
}

function keyFaults(reference: JsonObject, at: string): readonly FieldError[] {
  const [name, key] = [textAt(reference, "name"), textAt(reference, "key")];
  return [
    ...subdomainFaults(name).map((fault) => invalidValue(`${at}.name`, name, fault)),
    ...(key === ""
      ? [requiredValue(`${at}.key`)]
      : keyFaultsOf(key).map((fault) => invalidValue(`${at}.key`, key, fault))),
  ];
}

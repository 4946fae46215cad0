// The rules of metadata that hold for every kind: names, labels, annotations, owners, finalizers. The real server checks some
// of them more than once, and reports each time; so does this one, because the causes of a refusal are part of the answer.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { annotationKeyFault, labelKeyFault, labelValueFault } from "../../../src/core/labels/label-syntax.ts";
import { listAt, metaOf, objectAt, textAt } from "../api-object.ts";
import type { ResourceType } from "../resource-type.ts";
import { type FieldError, forbiddenValue, invalidValue, requiredValue, tooLongValue } from "./field-error.ts";
import { annotationKeyFaults, labelKeyFaults, labelValueFaults, subdomainFaults } from "./name-syntax.ts";

const ANNOTATION_BYTES_MAX = 256 * 1024;

/** The faults in the metadata of a new object. */
export function metaFaults(object: JsonObject, type: ResourceType): readonly FieldError[] {
  return [
    ...nameFaults(metaOf(object), type),
    ...contentFaults(metaOf(object)),
    ...finalizerFaults(metaOf(object), type),
  ];
}

/** The faults in the metadata of a changed object, as often as the real server's layers find them. */
export function metaUpdateFaults(next: JsonObject, old: JsonObject, type: ResourceType): readonly FieldError[] {
  const meta = metaOf(next);
  const content = contentFaults(meta, metaOf(old));
  const whole = [...content, ...finalizerFaults(meta, type)];
  const inPrefix = meta.generateName === metaOf(old).generateName ? [] : prefixFaults(meta, type);
  const changed = [...newFinalizerFaults(meta, metaOf(old)), ...content];
  // First every object alike, then the kind's own rules, which for built-in kinds begin with the same checks.
  return [...inPrefix, ...whole, ...changed, ...changed, ...(type.isCustom ? [] : whole)];
}

/** What a change says of an object's identity and end that is not so; who says nothing means what is. Found twice, as above. */
export function immutableFaults(sent: JsonObject, current: JsonObject): readonly FieldError[] {
  return ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"].flatMap((key) => {
    const value = sent[key] ?? "";
    if (value === "" || value === current[key]) return [];
    const error = invalidValue(`metadata.${key}`, value, "field is immutable");
    return [error, error];
  });
}

function nameFaults(meta: JsonObject, type: ResourceType): readonly FieldError[] {
  const rule = type.rules.nameFaults ?? subdomainFaults;
  const name = textAt(meta, "name");
  const errors = prefixFaults(meta, type);
  if (name === "") return [...errors, requiredValue("metadata.name", "name or generateName is required")];
  return [...errors, ...rule(name).map((fault) => invalidValue("metadata.name", name, fault))];
}

function prefixFaults(meta: JsonObject, { rules: { nameFaults: rule = subdomainFaults } }: ResourceType) {
  const prefix = textAt(meta, "generateName");
  const faults = prefix === "" ? [] : rule(prefix.replace(/.-$/, "a"));
  return faults.map((fault) => invalidValue("metadata.generateName", prefix, fault));
}

/** The faults of what clients write; parts that are those of the stored object have none. */
function contentFaults(meta: JsonObject, old: JsonObject = {}): readonly FieldError[] {
  return [
    ...(meta.labels === old.labels ? [] : labelFaults(objectAt(meta, "labels"))),
    ...(meta.annotations === old.annotations ? [] : annotationFaults(objectAt(meta, "annotations"))),
    ...(meta.ownerReferences === old.ownerReferences ? [] : ownerFaults(meta)),
  ];
}

function labelFaults(labels: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    if (labelKeyFault(key) === undefined && labelValueFault(String(value)) === undefined) continue;
    errors.push(
      ...labelKeyFaults(key).map((fault) => invalidValue("metadata.labels", key, fault)),
      ...labelValueFaults(String(value)).map((fault) => invalidValue("metadata.labels", value, fault)),
    );
  }
  return errors;
}

function annotationFaults(annotations: JsonObject): readonly FieldError[] {
  let bytes = 0;
  const errors: FieldError[] = [];
  for (const key of Object.keys(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
    // What may be the key of a label may be that of an annotation; that is seen without a copy in small letters.
    if (labelKeyFault(key) === undefined || annotationKeyFault(key) === undefined) continue;
    errors.push(...annotationKeyFaults(key).map((fault) => invalidValue("metadata.annotations", key, fault)));
  }
  return bytes > ANNOTATION_BYTES_MAX
    ? [...errors, tooLongValue("metadata.annotations", ANNOTATION_BYTES_MAX)]
    : errors;
}

function ownerFaults(meta: JsonObject): readonly FieldError[] {
  const field = "metadata.ownerReferences";
  const owners = listAt(meta, "ownerReferences").filter(isJsonObject);
  const errors = owners.flatMap((owner) => [
    ...(hasVersion(textAt(owner, "apiVersion"))
      ? []
      : [invalidValue(`${field}.apiVersion`, textAt(owner, "apiVersion"), "version must not be empty")]),
    ...["kind", "name", "uid"].flatMap((key) =>
      textAt(owner, key) === "" ? [invalidValue(`${field}.${key}`, "", "must not be empty")] : [],
    ),
    ...(owner.apiVersion === "v1" && owner.kind === "Event"
      ? [invalidValue(field, owner, "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ]);
  const [first, second] = owners
    .filter((owner) => owner.controller === true)
    .map((owner) => `${textAt(owner, "kind")}/${textAt(owner, "name")}`);
  if (second === undefined) return errors;
  const because = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
  return [...errors, invalidValue(field, owners, because)];
}

/** `v1` or `group/v1`; Go reads nothing from a text with more parts. */
function hasVersion(apiVersion: string): boolean {
  return /^([^/]*\/)?[^/]+$/.test(apiVersion);
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** The groups whose kinds look at the names of finalizers once more; events do not. */
const strictGroups = new Set(["", "apps", "batch"]);

/** Finalizers are named like labels; in some groups only those of the server itself may do without a prefix. */
function finalizerFaults(meta: JsonObject, { isCustom, group, kind }: ResourceType): readonly FieldError[] {
  if (meta.finalizers === undefined) return [];
  const names = listAt(meta, "finalizers");
  const isTorn = names.includes("orphan") && names.includes("foregroundDeletion");
  const torn = "finalizer orphan and foregroundDeletion cannot be both set";
  const errors = names.flatMap((value, index) => {
    const name = String(value);
    const faults = labelKeyFaults(name).map((fault) => invalidValue("metadata.finalizers", name, fault));
    const isStrict = !isCustom && strictGroups.has(group) && kind !== "Event";
    return isStrict ? [...faults, ...ownerlessFaults(name, `metadata.finalizers[${index}]`)] : faults;
  });
  return isTorn ? [...errors, invalidValue("metadata.finalizers", names, torn)] : errors;
}

/** A finalizer that does not say whose it is. */
export function ownerlessFaults(name: string, field: string): readonly FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  return [invalidValue(field, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

function newFinalizerFaults(next: JsonObject, old: JsonObject): readonly FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const known = new Set(listAt(old, "finalizers"));
  const added = listAt(next, "finalizers").filter((name) => !known.has(name));
  if (added.length === 0) return [];
  const listed = added.map(String).sort().map(goText).join(", ");
  const because = "no new finalizers can be added if the object is being deleted, found new finalizers";
  return [forbiddenValue("metadata.finalizers", `${because} []string{${listed}}`)];
}

function goText(value: Json): string {
  return JSON.stringify(value);
}

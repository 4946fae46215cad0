// Reads a fleet file. Every complaint names the file, the line, the field and the remedy; a field that nobody knows is one.
import { dns1123SubdomainFault, labelKeyFault, labelValueFault } from "../../src/core/labels/label-syntax.ts";
import { parseQuantity } from "../../src/core/values/quantity.ts";
import { LocatedYaml, type YamlPath } from "../../src/kube/config/located-yaml.ts";
import type { ApiTaint } from "../nodes/api-shapes.ts";
import { FLEET_NODES_MAX, type Fleet, type MachineGroup, type Mix } from "./fleet.ts";

const GROUPS_MAX = 100;
const WEIGHT_MAX = 1_000_000;
const SEED_MAX = 2 ** 32 - 1;
const ARCHITECTURES = ["amd64", "arm64", "ppc64le", "riscv64", "s390x"];
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const FLEET_FIELDS = ["seed", "groups"];
const GROUP_FIELDS = ["name", "count", "kernel", "os", "arch", "labels", "taints", "capacity"];
const TAINT_FIELDS = ["key", "value", "effect"];

/** The fleet that a text describes; throws an error that says where it is wrong and what would be right. */
export function parseFleet(file: string, text: string): Fleet {
  const yaml = new LocatedYaml(file, text);
  refuseUnknown(yaml, [], FLEET_FIELDS);
  const groupCount = yaml.count(["groups"]);
  if (groupCount === 0 || groupCount > GROUPS_MAX)
    throw yaml.complaint(["groups"], `has ${groupCount} entries; give 1 to ${GROUPS_MAX} groups of machines`);
  const groups = Array.from({ length: groupCount }, (_, index) => parseGroup(yaml, ["groups", index]));
  refuseTwins(yaml, groups);
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  if (total > FLEET_NODES_MAX)
    throw yaml.complaint(["groups"], `add up to ${total} machines; give at most ${FLEET_NODES_MAX}`);
  return { seed: wholeNumber(yaml, ["seed"], { min: 0, max: SEED_MAX, otherwise: 1 }), groups };
}

function parseGroup(yaml: LocatedYaml, path: YamlPath): MachineGroup {
  refuseUnknown(yaml, path, GROUP_FIELDS);
  const count = wholeNumber(yaml, [...path, "count"], { min: 1, max: FLEET_NODES_MAX });
  return {
    name: namePattern(yaml, [...path, "name"], count),
    count,
    kernel: parseMix(yaml, [...path, "kernel"], kernelFault),
    osImage: requiredText(yaml, [...path, "os"], 'give what the node says of its system, such as "Ubuntu 24.04.1 LTS"'),
    arch: oneOf(yaml, [...path, "arch"], ARCHITECTURES),
    labels: parseLabels(yaml, [...path, "labels"]),
    taints: Array.from({ length: yaml.count([...path, "taints"]) }, (_, index) =>
      parseTaint(yaml, [...path, "taints", index]),
    ),
    capacity: parseCapacity(yaml, [...path, "capacity"]),
  };
}

function namePattern(yaml: LocatedYaml, path: YamlPath, count: number): string {
  const name = requiredText(yaml, path, 'give a name such as "gpu-###"');
  if (count > 1 && !name.includes("#"))
    throw yaml.complaint(path, `is "${name}" for ${count} machines; add # for each digit, such as "${name}-###"`);
  const fault = dns1123SubdomainFault(name.replaceAll("#", "0"));
  if (fault !== undefined) throw yaml.complaint(path, `is "${name}", but the name of a node ${fault}`);
  return name;
}

function refuseTwins(yaml: LocatedYaml, groups: readonly MachineGroup[]): void {
  groups.forEach(({ name }, index) => {
    const bare = withoutDigits(name);
    if (groups.findIndex((other) => withoutDigits(other.name) === bare) < index)
      throw yaml.complaint(["groups", index, "name"], `is "${name}" as in another group; give each its own name`);
  });
}

function withoutDigits(name: string): string {
  return name.replaceAll(/[#0-9]+/g, "#");
}

function parseLabels(yaml: LocatedYaml, path: YamlPath): MachineGroup["labels"] {
  return Object.fromEntries(
    yaml.names(path).map((key) => {
      const fault = labelKeyFault(key);
      if (fault !== undefined) throw yaml.complaint([...path, key], `is no label key: it ${fault}`);
      return [key, parseMix(yaml, [...path, key], labelValueFault)];
    }),
  );
}

/** One text, or a list of texts and of values with weights. */
function parseMix(yaml: LocatedYaml, path: YamlPath, faultOf: (value: string) => string | undefined): Mix {
  const isList = Array.isArray(yaml.value(path));
  if (isList && yaml.count(path) === 0)
    throw yaml.complaint(path, "is an empty list; give a text, or a list of texts or of values with weights");
  const places = isList ? Array.from({ length: yaml.count(path) }, (_, index) => [...path, index]) : [path];
  return places.map((place) => {
    const share = parseShare(yaml, place);
    const fault = faultOf(share.value);
    if (fault !== undefined) throw yaml.complaint(place, `is "${share.value}", but the value ${fault}`);
    return share;
  });
}

function kernelFault(release: string): string | undefined {
  return release === "" ? "must be what uname -r prints" : undefined;
}

function parseShare(yaml: LocatedYaml, path: YamlPath): Mix[number] {
  const value = yaml.value(path);
  if (typeof value !== "object" || value === null) return { value: presentText(yaml, path), weight: 1 };
  refuseUnknown(yaml, path, ["value", "weight"]);
  return {
    value: presentText(yaml, [...path, "value"]),
    weight: wholeNumber(yaml, [...path, "weight"], { min: 1, max: WEIGHT_MAX, otherwise: 1 }),
  };
}

function parseTaint(yaml: LocatedYaml, path: YamlPath): ApiTaint {
  refuseUnknown(yaml, path, TAINT_FIELDS);
  const key = requiredText(yaml, [...path, "key"], "give the key of the taint");
  const keyFault = labelKeyFault(key);
  if (keyFault !== undefined) throw yaml.complaint([...path, "key"], `is "${key}", but a key ${keyFault}`);
  const value = yaml.text([...path, "value"]);
  const valueFault = labelValueFault(value ?? "");
  if (valueFault !== undefined) throw yaml.complaint([...path, "value"], `is "${value}", but a value ${valueFault}`);
  const effect = oneOf(yaml, [...path, "effect"], EFFECTS);
  return { key, ...(value === undefined ? {} : { value }), effect };
}

function parseCapacity(yaml: LocatedYaml, path: YamlPath): MachineGroup["capacity"] {
  return Object.fromEntries(
    yaml.names(path).map((name) => {
      const place = [...path, name];
      const amount = yaml.value(place);
      const text = typeof amount === "number" ? String(amount) : yaml.text(place);
      if (text === undefined || !parseQuantity(text).ok)
        throw yaml.complaint(place, `is "${text ?? ""}"; give an amount such as 8 or 512Gi`);
      return [name, text];
    }),
  );
}

function refuseUnknown(yaml: LocatedYaml, path: YamlPath, known: readonly string[]): void {
  const unknown = yaml.names(path).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw yaml.complaint([...path, unknown], `is not known; the fields here are ${known.join(", ")}`);
}

/** A text that may be empty, but must be there. */
function presentText(yaml: LocatedYaml, path: YamlPath): string {
  const text = yaml.text(path);
  if (text === undefined) throw yaml.complaint(path, "is missing; give a text, or a list of texts");
  return text;
}

function requiredText(yaml: LocatedYaml, path: YamlPath, remedy: string): string {
  const text = yaml.text(path);
  if (text === undefined || text === "") throw yaml.complaint(path, `is missing; ${remedy}`);
  return text;
}

function oneOf(yaml: LocatedYaml, path: YamlPath, choices: readonly string[]): string {
  const text = requiredText(yaml, path, `give one of ${choices.join(", ")}`);
  if (!choices.includes(text)) throw yaml.complaint(path, `is "${text}"; give one of ${choices.join(", ")}`);
  return text;
}

function wholeNumber(
  yaml: LocatedYaml,
  path: YamlPath,
  limits: { readonly min: number; readonly max: number; readonly otherwise?: number },
): number {
  const value = yaml.value(path) ?? limits.otherwise;
  if (typeof value === "number" && Number.isInteger(value) && value >= limits.min && value <= limits.max) return value;
  const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
  throw yaml.complaint(path, `${found}; give a whole number from ${limits.min} to ${limits.max}`);
}

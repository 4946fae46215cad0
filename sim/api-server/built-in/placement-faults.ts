// What the real server refuses in the fields of a pod that say on which nodes it may run.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from "../faults/field-error.ts";
import { labelKeyFaults, labelValueFaults, subdomainFaults } from "../faults/name-syntax.ts";
import { labelsFaults, nodeSelectorTermFaults } from "./selector-faults.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const WEIGHT_MAX = 100;

/** The fields of a pod's spec that are looked at here. */
export const placementFields: ReadonlySet<string> = new Set(["nodeName", "nodeSelector", "tolerations", "affinity"]);

/** The faults of where a pod wants to be; its spec stands at `path`, and what it shares with a sound one has none. */
export function placementFaults(spec: JsonObject, path: string, sound: JsonObject): readonly FieldError[] {
  const isNew = (key: string) => spec[key] !== sound[key];
  const nodeName = textAt(spec, "nodeName");
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  return [
    ...(nodeName === "" ? [] : subdomainFaults(nodeName)).map((fault) =>
      invalidValue(`${path}.nodeName`, nodeName, fault),
    ),
    ...(isNew("nodeSelector") ? labelsFaults(objectAt(spec, "nodeSelector"), `${path}.nodeSelector`) : []),
    ...(isNew("tolerations") ? listAt(spec, "tolerations") : []).flatMap((each, index) =>
      isJsonObject(each) ? tolerationFaults(each, `${path}.tolerations[${index}]`) : [],
    ),
    ...(isNew("affinity") ? nodeAffinityFaults(affinity, `${path}.affinity.nodeAffinity`) : []),
  ];
}

function tolerationFaults(toleration: JsonObject, at: string): readonly FieldError[] {
  const [key, value, effect] = [textAt(toleration, "key"), textAt(toleration, "value"), textAt(toleration, "effect")];
  const operator = textAt(toleration, "operator");
  const isTimed = toleration.tolerationSeconds !== undefined && effect !== "NoExecute";
  return [
    ...(key === "" ? [] : labelKeyFaults(key)).map((fault) => invalidValue(`${at}.key`, key, fault)),
    ...(key === "" && operator !== "Exists"
      ? [
          invalidValue(
            `${at}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(isTimed
      ? [invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...operatorFaults(operator, value, `${at}.operator`),
    ...(effect === "" || effects.includes(effect) ? [] : [unsupportedValue(`${at}.effect`, effect, effects)]),
  ];
}

function operatorFaults(operator: string, value: string, at: string): readonly FieldError[] {
  switch (operator) {
    case "":
    case "Equal":
      return labelValueFaults(value).map((fault) => invalidValue(at, value, fault));
    case "Exists":
      return value === "" ? [] : [invalidValue(at, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [unsupportedValue(at, operator, ["Equal", "Exists"])];
  }
}

function nodeAffinityFaults(affinity: JsonObject, path: string): readonly FieldError[] {
  const [required, preferred] = [
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
  ];
  const terms = listAt(objectAt(affinity, required), "nodeSelectorTerms");
  const at = `${path}.${required}.nodeSelectorTerms`;
  return [
    ...(isJsonObject(affinity[required]) && terms.length === 0
      ? [requiredValue(at, "must have at least one node selector term")]
      : []),
    ...terms.flatMap((term, index) => nodeSelectorTermFaults(term, `${at}[${index}]`)),
    ...listAt(affinity, preferred).flatMap((each, index) => {
      if (!isJsonObject(each)) return [];
      const weight = numberAt(each, "weight") ?? 0;
      const place = `${path}.${preferred}[${index}]`;
      return [
        ...(weight >= 1 && weight <= WEIGHT_MAX
          ? []
          : [invalidValue(`${place}.weight`, weight, `must be in the range 1-${WEIGHT_MAX}`)]),
        ...nodeSelectorTermFaults(each.preference ?? {}, `${place}.preference`),
      ];
    }),
  ];
}

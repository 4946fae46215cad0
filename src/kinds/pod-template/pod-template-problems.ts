// The checks of a pod template that decisions rely on, for a template as written and for one with a patch applied. All
// else is left to the API server, which judges the pods: security contexts, what volumes' sources hold, names of policies.

import { PROBLEMS_MAX, type Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { dns1123LabelFault, labelKeyFault, labelValueFault } from "../../core/labels/label-syntax.ts";
import { validateToleration } from "../../core/scheduling/toleration-validation.ts";
import { podTemplateSchema } from "../../core/strategic-merge/pod-template-schema.generated.ts";
import { parseImageReference } from "../../core/values/image-reference.ts";
import { quoted } from "../../core/values/shown.ts";
import { problem } from "../schema/admission.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import { containerFieldProblems, countProblems, isSameAmount } from "./container-fields.ts";
import { CONTAINERS_MAX, METADATA_ENTRIES_MAX } from "./pod-template-schema.ts";
import { shapeProblems } from "./pod-template-shapes.ts";
import { NOTHING_SOUND, type SoundParts } from "./sound-parts.ts";

const TOLERATIONS_MAX = 256;
const VOLUMES_MAX = 512;
const ENV_MAX = 2048;
const AFFINITY_TERMS_MAX = 1_000;
const FLAGS = ["hostNetwork", "hostPID", "hostIPC"] as const;
/** Newer servers let a variable have any name of printable ASCII but for the sign that ends it. */
const ENV_NAME = /^[ -<>-~]+$/;
const none: readonly Problem[] = Object.freeze([]);

/** Lists what is wrong with a template that stands at a path; never throws, whatever the template holds. */
export function podTemplateProblems(
  template: JsonObject,
  path: string,
  sound: SoundParts = NOTHING_SOUND,
): readonly Problem[] {
  const { metadata, spec } = template;
  const inMetadata =
    metadata === undefined || metadata === null ? none : metadataProblems(metadata, `${path}.metadata`, sound);
  if (!isJsonObject(spec)) return [...inMetadata, ...problem(`${path}.spec`, `must be an object, not ${quoted(spec)}`)];
  const at = `${path}.spec`;
  const inFields = [
    ...inMetadata,
    ...containerListProblems(spec, at, sound),
    ...lifeProblems(spec, at),
    ...FLAGS.flatMap((flag) => flagProblems(spec[flag], `${at}.${flag}`)),
    ...countProblems(spec.terminationGracePeriodSeconds, `${at}.terminationGracePeriodSeconds`),
    ...affinityProblems(spec, at),
    ...volumeProblems(spec, at, sound),
    ...(sound.has(spec.tolerations) ? none : tolerationProblems(spec.tolerations, `${at}.tolerations`)),
    ...(sound.has(spec.nodeSelector) ? none : nodeSelectorProblems(spec.nodeSelector, `${at}.nodeSelector`)),
  ];
  return [...inFields, ...unsaid(shapeProblems(template, path, sound), inFields)].slice(0, PROBLEMS_MAX);
}

/** The checks above know more of a field than its shape; what they say of it is enough. */
function unsaid(shapes: readonly Problem[], said: readonly Problem[]): readonly Problem[] {
  if (shapes.length === 0) return none;
  const paths = new Set(said.map(({ path }) => path));
  return shapes.filter(({ path }) => !paths.has(path));
}

/** The labels of a template's pods; empty where it has none. */
export function templateLabels(template: JsonObject): Readonly<Record<string, string>> {
  const labels = Object.entries(objectAt(objectAt(template, "metadata"), "labels"));
  return Object.fromEntries(labels.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The names of a template's containers, those that run before the others included. */
export function containerNames(template: JsonObject): readonly string[] {
  const spec = objectAt(template, "spec");
  return [...listOf(spec.initContainers), ...listOf(spec.containers)].flatMap((container) =>
    isJsonObject(container) && typeof container.name === "string" ? [container.name] : [],
  );
}

function metadataProblems(metadata: Json, path: string, sound: SoundParts): readonly Problem[] {
  if (!isJsonObject(metadata)) return problem(path, `must be an object, not ${quoted(metadata)}`);
  return [
    ...(sound.has(metadata.labels) ? none : textMapProblems(metadata.labels, `${path}.labels`, labelValueFault)),
    ...(sound.has(metadata.annotations)
      ? none
      : textMapProblems(metadata.annotations, `${path}.annotations`, () => undefined)),
  ];
}

function textMapProblems(
  map: Json | undefined,
  path: string,
  valueFault: (value: string) => string | undefined,
): readonly Problem[] {
  if (map === undefined || map === null) return none;
  if (!isJsonObject(map)) return problem(path, `must be an object of texts, not ${quoted(map)}`);
  const entries = Object.entries(map);
  if (entries.length > METADATA_ENTRIES_MAX)
    return problem(path, `has ${entries.length} entries; at most ${METADATA_ENTRIES_MAX} are allowed`);
  return entries.flatMap(([key, value]) => {
    if (typeof value !== "string")
      return problem(`${path}[${quoted(key)}]`, `must be a text, not ${quoted(value)}; put it in quotes`);
    const fault = labelKeyFault(key.toLowerCase()) ?? valueFault(value);
    return fault === undefined ? none : problem(`${path}[${quoted(key)}]`, `${quoted(value)}: ${fault}`);
  });
}

function containerListProblems(spec: JsonObject, path: string, sound: SoundParts): readonly Problem[] {
  const { containers, initContainers, ephemeralContainers } = spec;
  const at = `${path}.containers`;
  if (!Array.isArray(containers)) return problem(at, `must be a list of containers, not ${quoted(containers)}`);
  if (containers.length === 0) return problem(at, "is empty; give at least one container");
  if (containers.length > CONTAINERS_MAX)
    return problem(at, `has ${containers.length} entries; at most ${CONTAINERS_MAX} are allowed`);
  const known = { seen: new Set<string>(), sound };
  return [
    ...containers.flatMap((each: Json, index) => containerProblems(each, `${at}[${index}]`, known)),
    ...listOf(initContainers).flatMap((each, index) =>
      containerProblems(each, `${path}.initContainers[${index}]`, known),
    ),
    ...(listOf(ephemeralContainers).length === 0
      ? none
      : problem(
          `${path}.ephemeralContainers`,
          "must be left out: a template cannot have them, only a running pod can",
        )),
  ];
}

type Known = {
  /** The names of the containers before. */
  readonly seen: Set<string>;
  readonly sound: SoundParts;
};

function containerProblems(container: Json, path: string, { seen, sound }: Known): readonly Problem[] {
  if (!isJsonObject(container)) return problem(path, `must be a container, not ${quoted(container)}`);
  const { name, image } = container;
  if (typeof name !== "string") return problem(`${path}.name`, `must be a text, not ${quoted(name)}`);
  const nameFault = dns1123LabelFault(name) ?? (seen.has(name) ? "is the name of another container too" : undefined);
  seen.add(name);
  const inName = nameFault === undefined ? none : problem(`${path}.name`, `${quoted(name)} ${nameFault}`);
  if (sound.has(container)) return inName;
  return [
    ...inName,
    ...imageProblems(image, `${path}.image`, name),
    ...envProblems(container.env, `${path}.env`),
    ...(sound.has(container.resources) ? none : resourceProblems(container.resources, `${path}.resources`)),
    ...containerFieldProblems(container, path, sound),
  ];
}

function imageProblems(image: Json | undefined, path: string, container: string): readonly Problem[] {
  if (image === undefined || image === null || image === "")
    return problem(path, `is required: container ${quoted(container)} has no image, or its name is misspelt`);
  if (typeof image !== "string") return problem(path, `must be a text, not ${quoted(image)}`);
  const parsed = parseImageReference(image, path);
  return parsed.ok ? none : parsed.problems;
}

function envProblems(env: Json | undefined, path: string): readonly Problem[] {
  const entries = listOf(env);
  if (entries.length > ENV_MAX) return problem(path, `has ${entries.length} entries; at most ${ENV_MAX} are allowed`);
  // A path costs more than the look at a variable, and there may be hundreds: it is written down for problems only.
  return entries.flatMap((entry, index) => variableProblems(entry, () => `${path}[${index}]`));
}

function variableProblems(entry: Json, at: () => string): readonly Problem[] {
  if (!isJsonObject(entry) || typeof entry.name !== "string" || entry.name === "")
    return problem(`${at()}.name`, "is required: give the name of the variable");
  if (!ENV_NAME.test(entry.name)) return problem(`${at()}.name`, `${quoted(entry.name)} cannot name a variable`);
  if (isSet(entry.value) && typeof entry.value !== "string")
    return problem(`${at()}.value`, `must be a text, not ${quoted(entry.value)}; put it in quotes`);
  const hasBoth = isSet(entry.value) && entry.value !== "" && isSet(entry.valueFrom);
  return hasBoth
    ? problem(at(), `variable ${quoted(entry.name)} has both value and valueFrom; keep one of them`)
    : none;
}

/** What is not shared out twice, as extended resources and huge pages: the API server refuses a request that no equal limit covers. */
function resourceProblems(resources: Json | undefined, path: string): readonly Problem[] {
  if (!isJsonObject(resources)) return none;
  const requests = objectAt(resources, "requests");
  const limits = objectAt(resources, "limits");
  return Object.entries(requests).flatMap(([resource, amount]) => {
    if (isOverCommitted(resource) || isSameAmount(amount, limits[resource])) return none;
    const kind = resource.includes("/") ? "an extended resource" : "a huge page";
    return problem(
      `${path}.requests[${quoted(resource)}]`,
      `${kind} needs an equal limit; set limits[${quoted(resource)}] to ${quoted(String(amount))}`,
    );
  });
}

function isOverCommitted(resource: string): boolean {
  if (resource.startsWith("hugepages-")) return false;
  return !resource.includes("/") || /^([^/]*\.)?kubernetes\.io\//.test(resource);
}

function lifeProblems(spec: JsonObject, path: string): readonly Problem[] {
  const { restartPolicy, activeDeadlineSeconds } = spec;
  const restarts = !isSet(restartPolicy) || restartPolicy === "" || restartPolicy === "Always";
  return [
    ...(restarts
      ? none
      : problem(`${path}.restartPolicy`, `must be Always for a daemon, not ${quoted(restartPolicy)}; leave it out`)),
    ...(isSet(activeDeadlineSeconds)
      ? problem(`${path}.activeDeadlineSeconds`, "must be left out: a daemon has no deadline")
      : none),
  ];
}

function flagProblems(value: Json | undefined, path: string): readonly Problem[] {
  if (!isSet(value) || typeof value === "boolean") return none;
  return problem(path, `must be true or false, not ${quoted(value)}`);
}

function affinityProblems(spec: JsonObject, path: string): readonly Problem[] {
  const required = objectAt(
    objectAt(objectAt(spec, "affinity"), "nodeAffinity"),
    "requiredDuringSchedulingIgnoredDuringExecution",
  );
  const { length } = listOf(required.nodeSelectorTerms);
  if (length <= AFFINITY_TERMS_MAX) return none;
  return problem(`${path}.affinity`, `has ${length} terms for nodes; at most ${AFFINITY_TERMS_MAX} are allowed`);
}

function volumeProblems(spec: JsonObject, path: string, sound: SoundParts): readonly Problem[] {
  const volumes = listOf(spec.volumes);
  if (volumes.length > VOLUMES_MAX)
    return problem(`${path}.volumes`, `has ${volumes.length} entries; at most ${VOLUMES_MAX} are allowed`);
  const names = new Set(volumes.flatMap((volume) => (isJsonObject(volume) ? [volume.name] : [])));
  // Mounts are sound only beside the volumes that they were found sound with.
  const isSound = (mounts: Json | undefined) => sound.has(mounts) && sound.has(spec.volumes);
  const inMounts = ["containers", "initContainers"].flatMap((list) =>
    listOf(spec[list]).flatMap((container, index) => {
      const mounts = isJsonObject(container) ? container.volumeMounts : undefined;
      if (isSound(mounts)) return none;
      return listOf(mounts).flatMap((mount, at) =>
        mountProblems(mount, names, `${path}.${list}[${index}].volumeMounts[${at}]`),
      );
    }),
  );
  return sound.has(spec.volumes) ? inMounts : [...sourceProblems(volumes, `${path}.volumes`), ...inMounts];
}

function mountProblems(mount: Json, volumes: ReadonlySet<Json | undefined>, path: string): readonly Problem[] {
  const { name, mountPath } = isJsonObject(mount) ? mount : {};
  if (name === undefined || !volumes.has(name))
    return problem(
      `${path}.name`,
      `${quoted(name)} is no volume of the pod; add it to spec.volumes or correct the name`,
    );
  if (isSet(mountPath) && mountPath !== "") return none;
  return problem(`${path}.mountPath`, `is required: say where volume ${quoted(name)} is to be found`);
}

/** A patch that gives a volume another source leaves the old one beside it, unless it says what shall stay. */
function sourceProblems(volumes: readonly Json[], path: string): readonly Problem[] {
  const known = podTemplateSchema.fields.get("spec")?.object?.fields.get("volumes")?.list?.element?.fields;
  return volumes.flatMap((volume, index) => {
    if (!isJsonObject(volume)) return none;
    const sources = Object.keys(volume).filter((key) => key !== "name" && isSet(volume[key]) && known?.has(key));
    if (sources.length < 2) return none;
    const message = `volume ${quoted(volume.name)} has ${sources.join(" and ")}, and can have but one; a patch says in "$retainKeys" what shall stay`;
    return problem(`${path}[${index}]`, message);
  });
}

function tolerationProblems(tolerations: Json | undefined, path: string): readonly Problem[] {
  const entries = listOf(tolerations);
  if (entries.length > TOLERATIONS_MAX)
    return problem(path, `has ${entries.length} entries; at most ${TOLERATIONS_MAX} are allowed`);
  return entries.flatMap((each, index) => validateToleration(each, `${path}[${index}]`, { comparisonOperators: true }));
}

function nodeSelectorProblems(selector: Json | undefined, path: string): readonly Problem[] {
  if (!isSet(selector)) return none;
  if (!isJsonObject(selector)) return problem(path, `must be an object of labels, not ${quoted(selector)}`);
  return Object.entries(selector).flatMap(([key, value]) => {
    const at = `${path}[${quoted(key)}]`;
    if (typeof value !== "string") return problem(at, `must be a text, not ${quoted(value)}; put it in quotes`);
    const keyFault = labelKeyFault(key);
    if (keyFault !== undefined) return problem(at, `label key ${quoted(key)} ${keyFault}; no node can have it`);
    const valueFault = labelValueFault(value);
    return valueFault === undefined ? none : problem(at, `value ${quoted(value)} ${valueFault}; no node can have it`);
  });
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

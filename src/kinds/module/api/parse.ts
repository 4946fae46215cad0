// From a stored Module, which nobody is trusted to have checked, to the one value that both spellings become.
//
// This folder is the API of Module, in KMM's spelling and in the short one. Beside this file:
//   schema.ts, schema-loader.ts, schema-image.ts, schema-status.ts: the fields
//   crd.ts: the definition
//   spec.ts: the parsed value, the same for both spellings
//   parse-mappings.ts, parse-image.ts: mappings, and how their images are built and signed
//   validate.ts, path-problems.ts: admission
import type { z } from "zod";
import type { Parsed } from "../../../core/decision/problem.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { allOf, compileLabelSelector, type LabelSelector } from "../../../core/labels/label-selector.ts";
import { parseTolerations } from "../../../core/scheduling/taints.ts";
import { validateToleration } from "../../../core/scheduling/toleration-validation.ts";
import { podTemplateProblems } from "../../pod-template/pod-template-problems.ts";
import { problem } from "../../schema/admission.ts";
import { type Collected, collected } from "../../schema/collected.ts";
import { parseLabelSelector } from "../../schema/label-selector-schema.ts";
import { type ReadObject, readObject } from "../../schema/read-spec.ts";
import { readUpdateStrategy } from "../../schema/update-strategy-schema.ts";
import { parseMappings } from "./parse-mappings.ts";
import { moduleSpecSchema } from "./schema.ts";
import type { DevicePlugin, Driver, Modprobe, Module } from "./spec.ts";

type Written = z.output<typeof moduleSpecSchema>;
type WrittenLoader = NonNullable<Written["moduleLoader"]>;
type WrittenModprobe = WrittenLoader["container"]["modprobe"];

/** What the author's container is called where it has no name. */
export const DRIVER_CONTAINER = "driver-container";
/** Stands for the image that a mapping will give, while the container is checked. */
const ANY_IMAGE = "image:tag";
const tolerationOptions = Object.freeze({ comparisonOperators: true });
const nothing: LabelSelector = Object.freeze({ kind: "nothing" });

/** Parses a Module of any shape; never throws. */
export function parseModule(object: unknown): Parsed<Module> {
  const read = readObject(moduleSpecSchema, object);
  return read.ok ? parseRead(read.value) : read;
}

function parseRead(read: ReadObject<Written>): Parsed<Module> {
  const { name, namespace, spec } = read;
  const door = collected();
  const { tolerations = [] } = spec;
  for (const [index, toleration] of tolerations.entries())
    door.note(validateToleration(toleration, `spec.tolerations[${index}]`, tolerationOptions));
  return door.settle({
    name,
    namespace,
    selector: selectorOf(spec, door),
    tolerations: parseTolerations(tolerations, tolerationOptions),
    writtenTolerations: tolerations,
    driver: driverOf(read, door),
    devicePlugin: devicePluginOf(spec, door),
    imageSecret: spec.imageRepoSecret?.name,
    rebuildTrigger: spec.imageRebuildTriggerGeneration,
    updateStrategy: readUpdateStrategy(spec.updateStrategy),
    isUnloaded: spec.unloadPolicy === "Unload",
  });
}

function selectorOf({ selector, nodeSelector }: Written, door: Collected): LabelSelector {
  const labels = door.take(compileLabelSelector({ matchLabels: selector }, "spec.selector"));
  const conditions = nodeSelector && door.take(parseLabelSelector(nodeSelector, "spec.nodeSelector"));
  if (labels?.kind !== "all-of") return nothing;
  return conditions?.kind === "all-of" ? allOf([...labels.requirements, ...conditions.requirements]) : labels;
}

function driverOf({ name, namespace, spec }: ReadObject<Written>, door: Collected): Driver | undefined {
  const { moduleLoader, driverContainer, kernelMappings = [], additionalVolumes = [], build } = spec;
  const owner = { name, namespace };
  if (moduleLoader !== undefined) return loaderDriver(moduleLoader, owner, door);
  if (driverContainer === undefined) return undefined;
  const container: JsonObject = { name: DRIVER_CONTAINER, ...driverContainer };
  door.note(containerProblems(container, additionalVolumes, "spec.driverContainer"));
  return {
    mappings: parseMappings(kernelMappings, { owner, build, place: "spec" }, "spec.kernelMappings", door),
    container: { by: "author", container, volumes: additionalVolumes },
    serviceAccountName: undefined,
    imagePullPolicy: typeof container.imagePullPolicy === "string" ? container.imagePullPolicy : undefined,
    version: undefined,
  };
}

function loaderDriver(
  { container, serviceAccountName }: WrittenLoader,
  owner: { readonly name: string; readonly namespace: string },
  door: Collected,
): Driver {
  const place = "spec.moduleLoader.container";
  const { version = "" } = container;
  return {
    mappings: parseMappings(container.kernelMappings, { ...container, owner, place }, `${place}.kernelMappings`, door),
    container: { by: "farrier", modprobe: modprobeOf(container.modprobe) },
    serviceAccountName,
    imagePullPolicy: container.imagePullPolicy,
    version: version === "" ? undefined : version,
  };
}

/** The schema has seen to it that a module is named or both command lines are given. */
function modprobeOf(written: WrittenModprobe): Modprobe {
  const { moduleName = "", rawArgs, args, parameters = [], dirName, firmwarePath, modulesLoadingOrder = [] } = written;
  const named = (given: readonly string[] | undefined, withParameters: readonly string[]) =>
    ({ kind: "named", moduleName, args: given, parameters: withParameters }) as const;
  const raw = (given: readonly string[]) => ({ kind: "raw", args: given }) as const;
  return {
    load: rawArgs?.load === undefined ? named(args?.load, parameters) : raw(rawArgs.load),
    unload: rawArgs?.unload === undefined ? named(args?.unload, []) : raw(rawArgs.unload),
    dirName,
    firmwarePath,
    loadingOrder: modulesLoadingOrder,
  };
}

function devicePluginOf({ devicePlugin }: Written, door: Collected): DevicePlugin | undefined {
  if (devicePlugin === undefined) return undefined;
  const { container, initContainer, serviceAccountName, automountServiceAccountToken, volumes = [] } = devicePlugin;
  const path = "spec.devicePlugin";
  door.note(containerProblems(container, volumes, `${path}.container`, container.image ?? null));
  if (initContainer !== undefined)
    door.note(containerProblems(initContainer, volumes, `${path}.initContainer`, initContainer.image ?? null));
  return { container, initContainer, serviceAccountName, automountsToken: automountServiceAccountToken, volumes };
}

/** The problems of a container, found by the checks of a pod that has it alone. */
function containerProblems(
  container: JsonObject,
  volumes: readonly JsonObject[],
  path: string,
  image: JsonObject[string] | undefined = ANY_IMAGE,
) {
  if (typeof image !== "string") return problem(`${path}.image`, "is required: give the image as a text");
  const named = { name: "device-plugin", ...container, image };
  const inPod = podTemplateProblems({ spec: { containers: [named], volumes } }, "");
  const own = ".spec.containers[0]";
  return inPod.map((each) => ({
    path: each.path.startsWith(own) ? `${path}${each.path.slice(own.length)}` : `${path}: ${each.path}`,
    message: each.message,
  }));
}

// Admission of a Module: KMM's rules for its own spelling, the same for the short one, and warnings about mappings that can
// never win and about registries that nobody checks.

import type { Problem } from "../../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { ruleCovers } from "../../../core/kernel/kernel-rule-cover.ts";
import { quoted } from "../../../core/values/shown.ts";
import type { Admission } from "../../kind.ts";
import { admission, problem } from "../../schema/admission.ts";
import { listOf, objectAt, specOf } from "../../schema/json-parts.ts";
import { bindingLabel, readyLabel, versionReadyLabel } from "../module-labels.ts";
import { parseModule } from "./parse.ts";
import { pathProblems } from "./path-problems.ts";
import type { Driver, KernelMapping, Module } from "./spec.ts";

/** Node labels carry namespace and name in one part of 63 characters, beside words of up to 22. */
export const NAMES_LENGTH_MAX = 41;

/** Each mapping is compared with all before it; a Module with more is unusual, and warnings are a courtesy. */
const SHADOW_MAPPINGS_MAX = 200;

/** Where device plugins may reach into a node: KMM's list. */
const pluginHostPaths: readonly string[] = ["/dev", "/sys", "/var", "/opt", "/run"];
/** A driver of its author's own needs the kernel's files, too. */
const driverHostPaths: readonly string[] = [
  ...pluginHostPaths,
  ...["/lib/modules", "/usr/lib/modules", "/lib/firmware", "/usr/lib/firmware", "/usr/src", "/proc", "/boot"],
];

/** Judges a Module that someone wants to store; `before` is what was stored until now, undefined for a new one. */
export function validateModule(object: unknown, before: unknown): Admission {
  const parsed = parseModule(object);
  if (!parsed.ok) return admission(parsed);
  const module = parsed.value;
  const spec = specOf(object);
  const { driver } = module;
  return admission(
    { problems: nameProblems(module) },
    { problems: selfProblems(module, spec) },
    { problems: versionProblems(module, before) },
    { problems: driver === undefined ? [] : [...pathProblems(driver), ...removalProblems(spec)] },
    {
      problems: hostPathProblems(objectAt(spec, "devicePlugin").volumes, "spec.devicePlugin.volumes", pluginHostPaths),
    },
    { problems: hostPathProblems(spec.additionalVolumes, "spec.additionalVolumes", driverHostPaths) },
    { warnings: [...scopeWarnings(module), ...(driver === undefined ? [] : mappingWarnings(driver))] },
  );
}

function nameProblems({ name, namespace }: Module): readonly Problem[] {
  const length = name.length + namespace.length;
  if (length <= NAMES_LENGTH_MAX) return [];
  const message = `name and namespace have ${length} characters together; at most ${NAMES_LENGTH_MAX} fit into node labels`;
  return problem("metadata.name", message);
}

/** A Module that chooses nodes by what it writes to them would choose those that it has, and lose them with the label. */
function selfProblems(module: Module, spec: JsonObject): readonly Problem[] {
  const own = [bindingLabel, readyLabel, versionReadyLabel].map((label) => label(module));
  const { matchLabels, matchExpressions } = objectAt(spec, "nodeSelector");
  const keys = [
    ...Object.keys(objectAt(spec, "selector")),
    ...(isJsonObject(matchLabels) ? Object.keys(matchLabels) : []),
    ...listOf(matchExpressions).map((each) => (isJsonObject(each) ? each.key : undefined)),
  ];
  const key = keys.find((each) => typeof each === "string" && own.includes(each));
  if (key === undefined) return [];
  return problem(
    "spec.selector",
    `chooses nodes by ${quoted(key)}, which the Module itself writes; choose by a label of theirs`,
  );
}

/** Nodes of a versioned Module are labelled by their owners, so the change would leave all of them without a driver. */
function versionProblems({ driver }: Module, before: unknown): readonly Problem[] {
  const old = objectAt(specOf(before), "moduleLoader");
  if (driver === undefined || driver.container.by === "author" || Object.keys(old).length === 0) return [];
  const oldVersion = objectAt(old, "container").version ?? "";
  if ((oldVersion === "") === (driver.version === undefined)) return [];
  const message = `cannot change from ${quoted(oldVersion)} to ${quoted(driver.version ?? "")}: a version can be changed, not added or removed; create another Module`;
  return problem("spec.moduleLoader.container.version", message);
}

/** The two forms of one list may not meet across the levels either. */
function removalProblems(spec: JsonObject): readonly Problem[] {
  const place = "spec.moduleLoader.container";
  const container = objectAt(objectAt(spec, "moduleLoader"), "container");
  const mappings = listOf(container.kernelMappings).filter(isJsonObject);
  const levels = [container, ...mappings];
  const usesOne = levels.some(({ inTreeModuleToRemove = "" }) => inTreeModuleToRemove !== "");
  const usesList = levels.some(({ inTreeModulesToRemove }) => inTreeModulesToRemove !== undefined);
  const mixed = problem(place, "uses inTreeModuleToRemove and inTreeModulesToRemove; use the list everywhere");
  const lists = [container.inTreeModulesToRemove, ...mappings.map((each) => each.inTreeModulesToRemove)];
  const doubled = lists.flatMap((list) => doubledIn(listOf(list)));
  return [
    ...(usesOne && usesList ? mixed : []),
    ...doubled.flatMap((name) =>
      problem(place, `inTreeModulesToRemove names ${quoted(name)} twice; keep one of the two`),
    ),
  ];
}

/** The kernel takes - and _ in a module's name for the same. */
function doubledIn(names: readonly Json[]): readonly string[] {
  const normal = names.map((name) => String(name).replaceAll("-", "_"));
  return normal.filter((name, index) => normal.indexOf(name) < index);
}

function hostPathProblems(volumes: Json | undefined, path: string, allowed: readonly string[]): readonly Problem[] {
  return listOf(volumes).flatMap((volume, index) => {
    const written = isJsonObject(volume) ? objectAt(volume, "hostPath").path : undefined;
    if (typeof written !== "string") return [];
    const cleaned = cleanPath(written);
    if (allowed.some((root) => cleaned === root || cleaned.startsWith(`${root}/`))) return [];
    const message = `${quoted(written)} is not below ${allowed.join(", ")}; mount a path of these`;
    return problem(`${path}[${index}].hostPath.path`, message);
  });
}

function cleanPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

function scopeWarnings({ selector }: Module): readonly string[] {
  const isEverything = selector.kind === "all-of" && selector.requirements.length === 0;
  return isEverything ? ["spec.selector: is empty, so every node is in scope"] : [];
}

function mappingWarnings({ mappings }: Driver): readonly string[] {
  const shadowed = mappings.slice(0, SHADOW_MAPPINGS_MAX).flatMap((later, index) => {
    const earlier = mappings.slice(0, index).find((each) => coversMapping(each, later));
    return earlier === undefined
      ? []
      : [`${later.place}: never gets a node, because ${earlier.place} takes all kernels that it matches; put it first`];
  });
  const open = mappings.filter(({ registryTls }) => registryTls.isPlainHttp && registryTls.isAnyCertificateFine);
  return [
    ...shadowed,
    ...open.map(({ place }) => `${place}: insecure already means plain HTTP, so insecureSkipTLSVerify has no effect`),
  ];
}

function coversMapping(earlier: KernelMapping, later: KernelMapping): boolean {
  const isSameArch = earlier.arch === undefined || earlier.arch === later.arch;
  const isSameOs = earlier.osImage === undefined || earlier.osImage.pattern === later.osImage?.pattern;
  return isSameArch && isSameOs && ruleCovers(earlier.kernel, later.kernel);
}

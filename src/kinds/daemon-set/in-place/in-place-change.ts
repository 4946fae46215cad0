// Whether a pod of one rendered template can become a pod of another without being made anew: only images, labels and annotations may
// differ, and the amounts of cpu and memory where the server can resize. Everything else is fixed when a pod is made.

import { textIn, textsIn } from "../../../core/decision/object-identity.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { shown } from "../../../core/values/shown.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { recordedTemplate } from "../revision/revision-template.ts";
import { type LaunchOrder, launchOrder } from "./in-place-launch-order.ts";
import { type Resizing, resizeOf } from "./in-place-resize.ts";

export type ImageChange = { readonly from: string; readonly to: string };

/** Null takes a label or annotation away. */
export type TextChanges = Readonly<Record<string, string | null>>;

export type InPlaceChange = {
  readonly labels: TextChanges;
  readonly annotations: TextChanges;
  /** By the name of the container. */
  readonly images: Readonly<Record<string, ImageChange>>;
  /** The new resources of containers whose resources change, whole. */
  readonly resources: Readonly<Record<string, JsonObject>>;
  /** Containers that are restarted for their resources; those with a new image are anyway. */
  readonly restarted: readonly string[];
  /** All containers of the new template, those first that are to be updated first. */
  readonly order: LaunchOrder;
};

export type InPlaceVerdict =
  | { readonly can: true; readonly change: InPlaceChange }
  /** `because` is a clause: "containers[main].env differs". */
  | { readonly can: false; readonly because: string };

export type InPlaceRules = {
  readonly resizing: Resizing;
};

/** Compares two rendered templates, and says what would be changed in the pod or why it must be made anew. */
export function changeInPlace(before: JsonObject, after: JsonObject, rules: InPlaceRules): InPlaceVerdict {
  const [old, wanted] = [recordedTemplate(before), recordedTemplate(after)];
  const fixed =
    fixedDifference(objectAt(old, "metadata"), objectAt(wanted, "metadata"), ["labels", "annotations"], "metadata") ??
    fixedDifference(objectAt(old, "spec"), objectAt(wanted, "spec"), ["containers"], "spec") ??
    containersDifference(containersOf(old), containersOf(wanted));
  if (fixed !== undefined) return { can: false, because: fixed };
  const resize = resizeOf(old, wanted, rules.resizing);
  if (!resize.can) return resize;
  const change = { ...textChanges(old, wanted), images: imageChanges(containersOf(old), containersOf(wanted)) };
  const unread = unreadMetadata(containersOf(wanted), change);
  if (unread !== undefined) return { can: false, because: unread };
  const { resources, restarted } = resize;
  return { can: true, change: { ...change, resources, restarted, order: launchOrder(wanted) } };
}

/** Whether the change leaves everything as it is. */
export function isNoChange({ labels, annotations, images, resources }: InPlaceChange): boolean {
  return [labels, annotations, images, resources].every((part) => Object.keys(part).length === 0);
}

/** The containers of a template that are objects; validation has seen to it that all are. */
export function containersOf(template: JsonObject): readonly JsonObject[] {
  return listOf(objectAt(template, "spec").containers).filter(isJsonObject);
}

/** The first member that differs and cannot be changed in a pod. */
function fixedDifference(
  before: JsonObject,
  after: JsonObject,
  changeable: readonly string[],
  path: string,
): string | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const key = keys.find((one) => !changeable.includes(one) && !isSame(before[one], after[one]));
  return key === undefined ? undefined : `${path}.${shown(key)} differs`;
}

function containersDifference(before: readonly JsonObject[], after: readonly JsonObject[]): string | undefined {
  const names = (containers: readonly JsonObject[]) => containers.map(({ name }) => textIn(name)).join("\n");
  if (names(before) !== names(after)) return "the containers are others";
  for (const [index, container] of after.entries()) {
    const path = `containers[${textIn(container.name)}]`;
    const difference = fixedDifference(before[index] ?? {}, container, ["image", "resources"], path);
    if (difference !== undefined) return difference;
    if (textIn(container.image) === "") return `${path} has no image`;
  }
  return undefined;
}

function imageChanges(before: readonly JsonObject[], after: readonly JsonObject[]) {
  const changes = after.flatMap((container, index): readonly (readonly [string, ImageChange])[] => {
    const change = { from: textIn(before[index]?.image), to: textIn(container.image) };
    return change.from === change.to ? [] : [[textIn(container.name), change]];
  });
  return Object.fromEntries(changes);
}

function textChanges(before: JsonObject, after: JsonObject) {
  const changesOf = (map: string): TextChanges => {
    const [old, wanted] = [before, after].map((template) => textsIn(objectAt(template, "metadata")[map]));
    const gone = Object.keys(old ?? {}).filter((key) => !Object.hasOwn(wanted ?? {}, key));
    const set = Object.entries(wanted ?? {}).filter(
      ([key, value]) => !Object.hasOwn(old ?? {}, key) || old?.[key] !== value,
    );
    return Object.fromEntries([...gone.map((key) => [key, null] as const), ...set]);
  };
  return { labels: changesOf("labels"), annotations: changesOf("annotations") };
}

/** A container that has a changed label or annotation in its environment sees it only after a restart. */
function unreadMetadata(
  containers: readonly JsonObject[],
  { labels, annotations, images }: Pick<InPlaceChange, "labels" | "annotations" | "images">,
): string | undefined {
  const changed = [
    ...Object.keys(labels).map((key) => `metadata.labels['${key}']`),
    ...Object.keys(annotations).map((key) => `metadata.annotations['${key}']`),
  ];
  const stale = containers.find(
    (container) =>
      !Object.hasOwn(images, textIn(container.name)) && fieldPaths(container).some((path) => changed.includes(path)),
  );
  return stale && `containers[${textIn(stale.name)}] has changed metadata in its environment`;
}

function fieldPaths(container: JsonObject): readonly string[] {
  const variables = listOf(container.env).filter(isJsonObject);
  return variables.map((variable) => textIn(objectAt(objectAt(variable, "valueFrom"), "fieldRef").fieldPath));
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

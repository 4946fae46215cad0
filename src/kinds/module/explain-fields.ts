// What of a driver's pod is neither its author's nor always the same: the image, and what binds the pod to its nodes.
import { isJsonObject } from "../../core/json/json.ts";
import type { Explanation } from "../kind.ts";
import { fieldOrigins, OPERATOR_LAYER } from "../pod-template/field-origins.ts";
import { listOf } from "../schema/json-parts.ts";
import type { Module } from "./api/spec.ts";
import type { ImageProgress } from "./build/image-need.ts";
import { driverPodSpec } from "./driver/render-driver.ts";
import { placedImage } from "./driver/standing-images.ts";
import type { Fit } from "./resolve.ts";

/** Tells where the fields of the pods of a fit come from. */
export function explainFields(
  module: Module,
  fit: Fit,
  images: ReadonlyMap<string, ImageProgress>,
): Pick<Explanation, "fields" | "otherFields"> {
  const { driver } = module;
  if (driver === undefined) return {};
  const { nodeSelector = {}, priorityClassName = "", containers = [], ...rest } = driverPodSpec(module, driver, fit);
  const [rendered] = listOf(containers).filter(isJsonObject);
  const { image: _, ...loader } = rendered ?? {};
  const written = driver.container.by === "author" ? driver.container.container : loader;
  const image = placedImage(fit.image, images.get(fit.image));
  const layers = [
    { name: fit.mapping.place, patch: { spec: { containers: [{ name: written.name ?? "", image }] } } },
    { name: OPERATOR_LAYER, patch: { spec: { nodeSelector, priorityClassName } } },
  ];
  return {
    fields: fieldOrigins({ spec: { ...rest, containers: [written] } }, layers, "spec.driverContainer"),
    otherFields: driver.container.by === "author" ? "the Module" : "the loader that Farrier writes for the Module",
  };
}

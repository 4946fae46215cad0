// The values that concern the operator's pods. Defaults are what the Deployment of the installation has at the same places.
import type { JsonObject } from "../../../../src/core/json/json.ts";
import { labels, NAME } from "../names.ts";
import { type ChartEntry, listOf, textSchema, textsByName } from "./chart-value.ts";
import { valueAt } from "./template.ts";

export const POD = "spec.template.spec";
export const CONTAINER = `${POD}.containers.0`;
const DNS_NAME = "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$";
const quantities = { type: "object", additionalProperties: { type: ["string", "number"] } };

const image: ChartEntry = {
  ...{ key: "image", help: "The operator's image, which is built from the Dockerfile of the repository." },
  values: [
    {
      ...{ key: "repository", help: "Where it lies, with the host of the registry.", fallback: NAME },
      schema: { type: "string", pattern: "^[^\\s@]+$" },
    },
    {
      ...{ key: "tag", help: "Its tag; the version of the chart's program where it is empty.", fallback: "" },
      schema: { type: "string", pattern: "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$" },
    },
    {
      ...{ key: "digest", help: "Its digest, as sha256:…; counts in place of the tag.", fallback: "" },
      schema: { type: "string", pattern: "^(sha256:[a-f0-9]{64})?$" },
    },
    {
      ...{
        key: "pullPolicy",
        help: "When nodes pull it; what Kubernetes does by itself where it is empty.",
        fallback: "",
      },
      schema: { enum: ["", "Always", "IfNotPresent", "Never"] },
    },
    {
      ...{
        key: "pullSecrets",
        help: "Names of Secrets of the release's namespace with which nodes pull it.",
        fallback: [],
      },
      schema: listOf({ type: "string", pattern: DNS_NAME }),
    },
  ],
};

/** In the order in which they are told. */
export function workloadValues(deployment: JsonObject): readonly ChartEntry[] {
  return [
    image,
    {
      ...{ key: "replicas", help: "How many run; one works, the others wait to take its place.", schema: integer(0) },
      fallback: valueAt(deployment, "spec.replicas"),
    },
    {
      ...{ key: "resources", help: "What a pod asks for and may use at most." },
      fallback: valueAt(deployment, `${CONTAINER}.resources`),
      schema: {
        ...{ type: "object", additionalProperties: false },
        properties: { requests: quantities, limits: quantities },
      },
    },
    {
      ...{ key: "priorityClassName", help: "The priority of the pods; the cluster's default where it is empty." },
      ...{ fallback: valueAt(deployment, `${POD}.priorityClassName`), schema: textSchema },
    },
    { key: "nodeSelector", help: "Labels of the nodes on which pods may run.", fallback: {}, schema: textsByName },
    {
      ...{ key: "tolerations", help: "Taints of nodes that pods put up with.", fallback: [] },
      schema: { type: "array", items: { type: "object" } },
    },
    { key: "affinity", help: "Where pods would rather run, or must.", fallback: {}, schema: { type: "object" } },
    { key: "podAnnotations", help: "Annotations of the pods.", fallback: {}, schema: textsByName },
    {
      ...{ key: "podLabels", help: "Labels of the pods besides the one by which they are found.", fallback: {} },
      schema: { ...textsByName, properties: Object.fromEntries(Object.keys(labels).map((key) => [key, false])) },
    },
    {
      ...{ key: "serviceAccount", help: "The identity of the pods." },
      values: [{ key: "annotations", help: "Its annotations.", fallback: {}, schema: textsByName }],
    },
  ];
}

/** What comes after everything else. */
export const extraArgs: ChartEntry = {
  ...{ key: "extraArgs", help: "Flags of farrier run for which there is no value; they count before the values." },
  ...{ fallback: [], schema: { type: "array", items: { type: "string", pattern: "^--" } } },
};

function integer(minimum: number): JsonObject {
  return { type: "integer", minimum };
}

// The CustomResourceDefinition object of a kind, put together from its zod schemas. The generator writes it to deploy/crds,
// tests install it, and the operator may install it with a conversion webhook.
import type { z } from "zod";
import type { ObjectBody } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { structuralSchema } from "./structural-schema.ts";

export type PrinterColumn = {
  readonly name: string;
  readonly type: "integer" | "string" | "date";
  readonly jsonPath: string;
  readonly description: string;
  /** Shown by `kubectl get -o wide` alone. */
  readonly isWide?: boolean;
};

export type CrdVersion = {
  readonly name: string;
  readonly isStorage: boolean;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly PrinterColumn[];
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath: string;
  };
};

export type KindNames = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
};

export type CrdSource = {
  readonly names: KindNames;
  /** What an object of the kind is, for `kubectl explain`. */
  readonly description: string;
  readonly versions: readonly CrdVersion[];
};

/** Whether the object is ready, as `kubectl wait --for=condition=Ready` asks. */
export const readyColumn: PrinterColumn = {
  name: "Ready",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
  description: "Whether everything is as the object says.",
};

export const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created.",
};

/** Only the apiVersion changes: what another version alone knows is pruned. */
const PLAIN_CONVERSION: JsonObject = { strategy: "None" };

/** The definition of a kind; without a conversion, as it stands in `spec.conversion`, it is the plain one that needs no webhook. */
export function customResourceDefinition(
  { names, description, versions }: CrdSource,
  conversion: JsonObject = PLAIN_CONVERSION,
): ObjectBody {
  const { group, kind, plural, singular, shortNames } = names;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ["farrier"] },
      conversion,
      versions: versions.map((version) => versionStanza(version, description)),
    },
  };
}

function versionStanza(version: CrdVersion, description: string): JsonObject {
  const { name, isStorage, spec, status, columns, scale } = version;
  return {
    name,
    served: true,
    storage: isStorage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        description,
        required: ["spec"],
        properties: {
          apiVersion: { type: "string", description: "The group and version of this object." },
          kind: { type: "string", description: "The kind of this object." },
          metadata: { type: "object" },
          spec: structuralSchema(spec),
          status: structuralSchema(status),
        },
      },
    },
    subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
    additionalPrinterColumns: columns.map(columnStanza),
  };
}

function columnStanza({ isWide = false, ...column }: PrinterColumn): JsonObject {
  return { ...column, ...(isWide ? { priority: 1 } : {}) };
}

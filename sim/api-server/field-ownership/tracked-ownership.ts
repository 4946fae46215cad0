// The server's port to field ownership: kinds are made ready once, and what the pure functions decide becomes an object with
// managed fields or a refusal in the real server's words.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, textAt, valueAtPath, withMeta } from "../api-object.ts";
import { failure, Refusal } from "../faults/status.ts";
import type { FieldOwnership, OwnedWrite } from "../request/field-ownership-port.ts";
import type { ResourceType } from "../resource-type.ts";
import type { Applied } from "./apply-configuration.ts";
import { withLastApplied } from "./last-applied.ts";
import { type OwnedKind, ownedKindOf } from "./owned-kind.ts";
import type { Owner } from "./owners.ts";
import { pathTexts } from "./path-element.ts";
import { trackScale } from "./track-scale.ts";
import { trackUpdate } from "./track-update.ts";

/** Tracks the owners of all kinds of a server. */
export class TrackedOwnership implements FieldOwnership {
  readonly #kinds = new WeakMap<ResourceType, OwnedKind>();

  track(next: JsonObject, write: OwnedWrite): JsonObject {
    const managedFields =
      write.subresource === "scale" ? this.#trackScale(next, write) : this.#trackUpdate(next, write);
    return managedFields === metaOf(next).managedFields ? next : withMeta(next, { managedFields });
  }

  apply(applied: JsonObject, write: OwnedWrite & { readonly force: boolean }): JsonObject {
    const kind = this.#kindOf(write.type);
    const answer = withLastApplied(kind, { ...write, applied });
    if (answer.outcome !== "applied") throw refusalOf(kind, applied, answer);
    const { object, managedFields } = answer;
    return managedFields === metaOf(object).managedFields ? object : withMeta(object, { managedFields });
  }

  #trackUpdate(next: JsonObject, write: OwnedWrite): readonly Json[] | undefined {
    return trackUpdate(this.#kindOf(write.type), { ...write, next });
  }

  #trackScale(next: JsonObject, { type, live = {}, manager }: OwnedWrite): readonly Json[] | undefined {
    const replicasPath = type.scale?.specReplicasPath ?? "";
    const replicas = { before: valueAtPath(live, replicasPath), after: valueAtPath(next, replicasPath) };
    const { managedFields } = metaOf(live);
    return trackScale(this.#kindOf(type), { managedFields, replicasPath, ...replicas, manager });
  }

  #kindOf(type: ResourceType): OwnedKind {
    const known = this.#kinds.get(type) ?? ownedKindOf(type);
    this.#kinds.set(type, known);
    return known;
  }
}

/** How the server says that an apply cannot be. */
export function refusalOf(
  kind: OwnedKind,
  applied: JsonObject,
  answer: Exclude<Applied, { outcome: "applied" }>,
): Refusal {
  if (answer.outcome === "conflicts") return conflictRefusal(answer.conflicts);
  const { group, version, kind: name } = kind;
  const meta = metaOf(applied);
  const named = `${textAt(meta, "namespace")}/${textAt(meta, "name")}; ${group}/${version}, Kind=${name}`;
  return failure(
    `failed to create typed ${answer.object === "patch" ? "patch" : "live"} object (${named}): ${answer.because}`,
  );
}

function conflictRefusal(owners: readonly Owner[]): Refusal {
  const conflicts = owners.map((owner) => ({ owner: ownerText(owner), paths: pathTexts(owner.fields) }));
  const causes = conflicts.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${owner}`, field })),
  );
  const [only] = causes;
  const said =
    only !== undefined && causes.length === 1
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${conflicts.map(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)].join("\n")).join("\n")}`;
  return new Refusal(409, "Conflict", `Apply failed with ${said}`, { causes });
}

function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  const through = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

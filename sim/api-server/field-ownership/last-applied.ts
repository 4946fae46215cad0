// The way from client-side to server-side apply: what kubectl once applied and nobody has changed since is its own, though it
// was written as an update. Only for the manager named "kubectl". Mirrors LastAppliedManager and LastAppliedUpdater.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import { metaOf, objectAt, textAt, withFields, withMeta } from "../api-object.ts";
import { type Application, type Applied, applyConfiguration } from "./apply-configuration.ts";
import { changesBetween } from "./changes-between.ts";
import { difference, type FieldSet, isEmptySet, noFields } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import type { OwnedKind } from "./owned-kind.ts";
import { typeFaults } from "./type-faults.ts";

const KUBECTL = "kubectl";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** What becomes of an object by an applied configuration, the annotation of client-side apply considered and kept up to date. */
export function withLastApplied(kind: OwnedKind, application: Application): Applied {
  const answer = applyConfiguration(kind, application);
  if (application.manager !== KUBECTL) return answer;
  const settled = answer.outcome === "conflicts" ? withoutOwnConflicts(kind, application, answer.conflicts) : answer;
  if (settled.outcome !== "applied" || lastAppliedOf(settled.object) === "") return settled;
  return { ...settled, object: annotated(settled.object, application.applied) };
}

function lastAppliedOf(object: JsonObject): string {
  return textAt(objectAt(metaOf(object), "annotations"), LAST_APPLIED);
}

function withoutOwnConflicts(
  kind: OwnedKind,
  application: Application,
  conflicts: Extract<Applied, { outcome: "conflicts" }>["conflicts"],
): Applied {
  const own = fieldsLastApplied(kind, application.live ?? kind.nothing);
  const rest = conflicts
    .map((owner) => ({ ...owner, fields: difference(owner.fields, own) }))
    .filter(({ fields }) => !isEmptySet(fields));
  if (rest.length > 0) return { outcome: "conflicts", conflicts: rest };
  return applyConfiguration(kind, { ...application, force: true });
}

/** What the annotation says was applied, as far as the object still is so. */
function fieldsLastApplied(kind: OwnedKind, live: JsonObject): FieldSet {
  const parsed = parseJson(lastAppliedOf(live));
  const last = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  if (last?.apiVersion !== kind.apiVersion) return noFields;
  const strict = { allowsDuplicates: false };
  if ([last, live].some((object) => typeFaults(kind.type, object, strict).length > 0)) return noFields;
  const { written, removed } = changesBetween(kind.type, last, live);
  return difference(difference(fieldSetOf(kind.type, last), written), removed);
}

function annotated(object: JsonObject, applied: JsonObject): JsonObject {
  const { annotations } = metaOf(applied);
  const own = isJsonObject(annotations)
    ? withFields(applied, {
        metadata: withFields(metaOf(applied), { annotations: withFields(annotations, { [LAST_APPLIED]: undefined }) }),
      })
    : applied;
  const text = `${canonicalJson(own)}\n`;
  return withMeta(object, {
    annotations: withFields(objectAt(metaOf(object), "annotations"), { [LAST_APPLIED]: text }),
  });
}

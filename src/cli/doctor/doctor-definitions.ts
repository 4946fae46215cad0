// The check of `doctor` on definitions: whether each kind's is installed, serves the versions that we serve and has our fields. Another
// operator's definition goes by the same name, and what it does not know the API server drops without a word.

import { objectIdentity, textIn } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { definitionSource } from "../../kinds/all-definitions.ts";
import type { Kind } from "../../kinds/kind.ts";
import { customResourceDefinition } from "../../kinds/schema/crd.ts";
import { definitionGaps, GAPS_MAX } from "../../kinds/schema/definition-gaps.ts";
import { listOf, specOf } from "../../kinds/schema/json-parts.ts";
import { plural } from "../output/print.ts";
import { error, type Finding, fine } from "./doctor-checks.ts";
import type { DoctorFacts } from "./doctor-facts.ts";

/** Whether the definitions are there, in the versions that we serve and with all our fields. */
export function checkDefinitions({ definitions }: DoctorFacts, kinds: readonly Kind[]): readonly Finding[] {
  if (definitions === undefined) return [];
  return kinds.flatMap((kind) => {
    const name = `${kind.plural}.${kind.group}`;
    return checkDefinition(
      kind,
      name,
      definitions.find((each) => objectIdentity(each).name === name),
    );
  });
}

function checkDefinition(kind: Kind, name: string, installed: JsonObject | undefined): readonly Finding[] {
  const remedy = `kubectl apply --server-side -f deploy/crds/${name}.yaml`;
  if (installed === undefined) return [error(`${name} is not installed`, remedy)];
  const wanted = [kind.version, ...(kind.conversion?.otherVersions ?? [])];
  const served = servedVersions(installed);
  const missing = wanted.filter((each) => !served.includes(each));
  const source = definitionSource(kind);
  const ours = source === undefined ? {} : customResourceDefinition(source);
  const incomplete = wanted
    .filter((each) => served.includes(each))
    .map((version) => ({ version, gaps: definitionGaps(ours, installed, version) }))
    .filter(({ gaps }) => gaps.length > 0);
  const findings = [
    ...(missing.length === 0
      ? []
      : [error(`${name} serves ${served.join(", ") || "nothing"}, not ${missing.join(", ")}`, remedy)]),
    ...incomplete.map(({ version, gaps }) =>
      error(`${name} is not ours: ${version} lacks ${counted(gaps)}: ${gaps.join(", ")}`, remedy),
    ),
  ];
  return findings.length === 0 ? [fine(`${name} is installed (${served.join(", ")})`)] : findings;
}

/** Nobody counts beyond the limit of the comparison. */
function counted(gaps: readonly string[]): string {
  return gaps.length < GAPS_MAX ? plural(gaps.length, "field") : `${GAPS_MAX} fields or more`;
}

function servedVersions(definition: JsonObject): readonly string[] {
  const versions = listOf(specOf(definition).versions).filter(isJsonObject);
  return versions.filter(({ served }) => served === true).map(({ name }) => textIn(name));
}

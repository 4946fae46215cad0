// In which form a client wants an answer: the object itself, its metadata alone, or a table for people. The real server reads
// this from the clauses of the Accept header and takes the first that it can serve.

import { badRequest, Refusal } from "../faults/status.ts";
import type { ApiRequest } from "../request/api-request.ts";

export type AnswerForm =
  | { readonly as: "object" }
  | { readonly as: "metadata"; readonly version: FormVersion }
  | { readonly as: "table"; readonly version: FormVersion; readonly includes: "None" | "Metadata" | "Object" };

export type FormVersion = "meta.k8s.io/v1" | "meta.k8s.io/v1beta1";

const plain: AnswerForm = { as: "object" };
const jsonTypes = new Set(["application/json", "application/*", "*/*"]);
const forms: Readonly<Record<string, "table" | "metadata">> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "metadata",
};

/** The form of the answer to a read; refuses to answer in none that the client takes. */
export function readForm({ headers, query }: ApiRequest): AnswerForm {
  const accept = headers.accept ?? "";
  // Nearly everybody asks for JSON and nothing else.
  if (accept === "" || accept === "application/json") return plain;
  for (const clause of accept.split(",")) {
    const form = formOf(clause, query);
    if (form !== undefined) return form;
  }
  const message = "only the following media types are accepted: application/json";
  throw new Refusal(406, "NotAcceptable", message);
}

function formOf(clause: string, query: URLSearchParams): AnswerForm | undefined {
  const [media = "", ...pairs] = clause.split(";").map((part) => part.trim());
  if (!jsonTypes.has(media)) return undefined;
  const parameters = new Map(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
  const wanted = parameters.get("as");
  if (wanted === undefined) return plain;
  const as = forms[wanted];
  const version = versionOf(`${parameters.get("g")}/${parameters.get("v")}`);
  if (as === undefined || version === undefined) return undefined;
  return as === "metadata" ? { as, version } : { as, version, includes: readIncludes(query) };
}

function versionOf(text: string): FormVersion | undefined {
  return text === "meta.k8s.io/v1" || text === "meta.k8s.io/v1beta1" ? text : undefined;
}

function readIncludes(query: URLSearchParams): "None" | "Metadata" | "Object" {
  const value = query.get("includeObject") ?? "";
  if (value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  const because = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${because}`);
}

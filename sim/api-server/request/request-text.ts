// The body of a create or replacement as JSON text, whatever it came as: JSON, YAML, or the protobuf of `kubectl create`.
import { parse as parseYaml } from "yaml";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { badRequest, unsupportedMediaType } from "../faults/status.ts";
import { readProtobuf } from "../protobuf/read-protobuf.ts";
import { type ApiRequest, mediaType } from "./api-request.ts";
import { bodyText } from "./json-body.ts";

/** The text of a body; who says nothing of its body means JSON. */
export function requestText(request: ApiRequest): string {
  const { body } = request;
  switch (mediaType(request) || "application/json") {
    case "application/json":
    case "*/*":
      return bodyText(body);
    case "application/yaml":
      return textOfYaml(bodyText(body));
    case "application/vnd.kubernetes.protobuf":
      return textOfProtobuf(typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array()));
    default:
      throw unsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      );
  }
}

function textOfYaml(text: string): string {
  try {
    return printJson(parseYaml(text));
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function textOfProtobuf(body: Uint8Array): string {
  const read = readProtobuf(body);
  if (read.ok) return printJson(read.value);
  const remedy = "send it as JSON or YAML: kubectl create ... --dry-run=client -o yaml | kubectl apply -f -";
  throw unsupportedMediaType(`${read.because}; ${remedy}`);
}

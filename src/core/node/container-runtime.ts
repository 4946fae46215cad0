// The container runtime of a node, from `status.nodeInfo.containerRuntimeVersion`: `containerd://1.7.13`.
import { type Fact, unknownFact } from "../decision/fact.ts";
import { quoted } from "../values/shown.ts";

const RUNTIME_LENGTH_MAX = 256;

export type ContainerRuntime = { readonly name: string; readonly version: string };

/** Returns name and version of the runtime, or Unknown with the reason; never throws. */
export function parseContainerRuntime(raw: string): Fact<ContainerRuntime> {
  if (raw === "") return unknownFact("the node reports no container runtime");
  const separator = raw.indexOf("://");
  if (separator < 1 || raw.length > RUNTIME_LENGTH_MAX) {
    return unknownFact(`container runtime ${quoted(raw)} is not of the form name://version`, raw);
  }
  return { name: raw.slice(0, separator), version: raw.slice(separator + "://".length) };
}

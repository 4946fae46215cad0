// Custom resources on a cluster of the tests: installed, and served when this is done.
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import type { Cluster } from "./cluster.ts";
import { connect } from "./connect.ts";
import { eventually } from "./eventually.ts";
import { ADMIN } from "./users.ts";

type Definition = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

const SERVED_WITHIN = { deadlineMs: 60_000 };

const definitions: Resource<Definition> = {
  ...{ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" },
  ...{ kind: "CustomResourceDefinition", namespaced: false },
};

/** Creates the definitions and resolves when the API server has established each of them. */
export async function installDefinitions(cluster: Cluster, wanted: readonly KubeObject[]): Promise<void> {
  const { client, close } = connect(cluster.address, cluster.token(), ADMIN.name);
  try {
    await Promise.all(wanted.map((definition) => client.create(definitions, definition)));
    for (const { metadata } of wanted) {
      const look = async () => (isEstablished(await client.get(definitions, metadata.name)) ? true : undefined);
      await eventually(`${metadata.name} is served`, look, SERVED_WITHIN);
    }
  } finally {
    close();
  }
}

function isEstablished(definition: Definition | undefined): boolean {
  return (
    definition?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false
  );
}

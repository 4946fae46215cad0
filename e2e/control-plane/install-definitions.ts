// Custom resources on a cluster of the tests: installed, and served when this is done.
import { storedConditions } from "../../src/core/decision/conditions.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { objectAt } from "../../src/kinds/schema/json-parts.ts";
import { definitions } from "../../src/kube/client/built-in-resources.ts";
import type { KubeObject } from "../../src/kube/resource.ts";
import type { Cluster } from "./cluster.ts";
import { connect } from "./connect.ts";
import { eventually } from "./eventually.ts";
import { ADMIN } from "./users.ts";

const SERVED_WITHIN = { deadlineMs: 60_000 };

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

function isEstablished(definition: JsonObject | undefined): boolean {
  const { conditions } = objectAt(definition ?? {}, "status");
  return storedConditions(conditions).some(({ type, status }) => type === "Established" && status === "True");
}

// Resource quotas on the number of objects: the part of the real plug-in that keeps pods from being created. What is used
// counts up with each create here; a controller counts it down again.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { nameOf, objectAt, withFields, withMeta } from "../api-object.ts";
import { forbidden } from "../faults/status.ts";
import type { AdmissionRequest } from "../server-parts.ts";
import type { Store } from "../store/store.ts";

const TABLE = "resourcequotas";

/** Charges a create to the quotas of its namespace; throws a Refusal when one is spent. */
export function chargeQuotas(store: Store, { target, operation, object, isDryRun }: AdmissionRequest): void {
  const { endpoint, namespace, subresource } = target;
  if (operation !== "CREATE" || subresource !== "" || namespace === "") return;
  const { group, plural } = endpoint.type;
  const counted = group === "" ? [plural, `count/${plural}`] : [`count/${plural}.${group}`];
  for (const quota of store.list(TABLE, { revision: store.revision, prefix: `${namespace}/` })) {
    const { hard, used } = limitsOf(quota.object);
    const what = counted.find((name) => hard[name] !== undefined && used[name] !== undefined);
    if (what === undefined) continue;
    const [limit, now] = [Number(hard[what]), Number(used[what])];
    if (now + 1 > limit) {
      const because = `exceeded quota: ${nameOf(quota.object)}, requested: ${what}=1, used: ${what}=${now}, limited: ${what}=${limit}`;
      throw forbidden(endpoint.type, object === undefined ? "" : nameOf(object), because);
    }
    if (isDryRun) continue;
    const status = withFields(objectAt(quota.object, "status"), { used: withFields(used, { [what]: `${now + 1}` }) });
    const next = withMeta(withFields(quota.object, { status }), { resourceVersion: `${store.nextRevision}` });
    store.put({ table: TABLE, key: quota.key, object: next });
  }
}

function limitsOf(quota: JsonObject): { readonly hard: JsonObject; readonly used: JsonObject } {
  const status = objectAt(quota, "status");
  return { hard: objectAt(status, "hard"), used: objectAt(status, "used") };
}

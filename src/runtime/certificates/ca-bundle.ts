// Tells the API server by which authority our webhooks are certified: the bundle is written into the configurations that name us.
//
// Guarantees: only the bundle is changed, and only in an entry that still has the name under which it was read.
import { isConflict, isNotFound } from "../../kube/client/api-error.ts";
import type { AnyResource } from "../../kube/client/built-in-resources.ts";
import type { Client, JsonPatchStep } from "../../kube/client/client.ts";

export type BundleTarget = {
  readonly resource: AnyResource;
  readonly name: string;
};

/** Writes the bundle wherever it is missing; true when every target that is there has it. A target that is not there needs none. */
export async function publishBundle(
  client: Pick<Client, "get" | "patch">,
  targets: readonly BundleTarget[],
  bundle: string,
): Promise<boolean> {
  const encoded = Buffer.from(bundle).toString("base64");
  const done = await Promise.all(targets.map((target) => publishTo(client, target, encoded)));
  return done.every((isDone) => isDone);
}

async function publishTo(
  client: Pick<Client, "get" | "patch">,
  target: BundleTarget,
  bundle: string,
): Promise<boolean> {
  const { resource, name } = target;
  const object = await client.get(resource, name);
  if (object === undefined) return true;
  const body = stepsFor(object, bundle);
  if (body.length === 0) return true;
  try {
    await client.patch(resource, name, { type: "json", body });
    return true;
  } catch (error) {
    // Somebody has changed it meanwhile, or it is gone: the next round sees how it is then.
    if (isConflict(error) || isNotFound(error) || isTestFailure(error)) return false;
    throw error;
  }
}

/** The steps that give an object the bundle; none when it has it. */
export function stepsFor(object: Readonly<Record<string, unknown>>, bundle: string): readonly JsonPatchStep[] {
  const webhooks = Array.isArray(object.webhooks) ? object.webhooks : [];
  const inList = webhooks.flatMap((webhook, at) => {
    const name = memberOf(webhook, "name");
    const path = `/webhooks/${at}`;
    const write = writeSteps(memberOf(webhook, "clientConfig"), `${path}/clientConfig`, bundle);
    return write.length === 0 ? [] : [{ op: "test", path: `${path}/name`, value: name } as const, ...write];
  });
  const conversion = memberOf(memberOf(object.spec, "conversion"), "webhook");
  return [
    ...inList,
    ...writeSteps(memberOf(conversion, "clientConfig"), "/spec/conversion/webhook/clientConfig", bundle),
  ];
}

function writeSteps(clientConfig: unknown, path: string, bundle: string): readonly JsonPatchStep[] {
  if (typeof clientConfig !== "object" || clientConfig === null) return [];
  if (memberOf(clientConfig, "caBundle") === bundle) return [];
  // `add` also replaces what is there.
  return [{ op: "add", path: `${path}/caBundle`, value: bundle }];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function isTestFailure(error: unknown): boolean {
  return error instanceof Error && /test failed|testing value/i.test(error.message);
}

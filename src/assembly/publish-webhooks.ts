// Tells the API server where to ask, if nobody has installed that, and by which authority we are certified.

import type { ObjectBody } from "../core/decision/step.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { Kind } from "../kinds/kind.ts";
import * as resources from "../kube/client/built-in-resources.ts";
import type { Client } from "../kube/client/client.ts";
import { type BundleTarget, publishBundle } from "../runtime/certificates/ca-bundle.ts";
import * as webhooks from "../webhooks/webhook-configurations.ts";
import type { ProgramRun } from "./program-run.ts";

/** Publishes the bundle; true when every configuration that is there has it. */
export async function publishWebhooks({ settings, kinds, client }: ProgramRun, bundle: string): Promise<boolean> {
  const { webhook } = settings;
  // A Service comes with an installation, which has the configurations, too. A URL is somebody's own machine, in place of any Service.
  if (webhook.by === "url")
    await installWebhooks(client, kinds, (path) => ({ url: `${webhook.url}${path}`, service: null }));
  const targets: readonly BundleTarget[] = [
    { resource: resources.validatingConfigurations, name: webhooks.VALIDATOR },
    { resource: resources.validatingConfigurations, name: webhooks.PATCHES_VALIDATOR },
    { resource: resources.mutatingConfigurations, name: webhooks.DEFAULTER },
    ...kinds.map(({ plural, group }) => ({ resource: resources.definitions, name: `${plural}.${group}` })),
  ];
  return publishBundle(client, targets, bundle);
}

/** Writes the configurations where they are missing or lead elsewhere, as those of an installation do. */
async function installWebhooks(client: Client, kinds: readonly Kind[], reach: webhooks.Reach): Promise<void> {
  const hooked = kinds.map(webhooks.hookedKind);
  for (const configuration of webhooks.validatingConfigurations(hooked, reach)) {
    await install(client, resources.validatingConfigurations, configuration);
  }
  await install(client, resources.mutatingConfigurations, webhooks.mutatingConfiguration(hooked, reach));
  for (const { group, plural } of kinds.filter(({ conversion }) => conversion !== undefined)) {
    await convertBy(client, `${plural}.${group}`, webhooks.conversionBy(reach));
  }
}

async function install(client: Client, resource: resources.AnyResource, wanted: ObjectBody): Promise<void> {
  const { name } = wanted.metadata;
  const stored = await client.get(resource, name);
  if (stored === undefined) await client.create(resource, wanted);
  // A merge patch replaces the list, and with it the Services that an installation names.
  else if (urlsIn(stored.webhooks) !== urlsIn(wanted.webhooks)) {
    await client.patch(resource, name, { type: "merge", body: { webhooks: wanted.webhooks } });
  }
}

async function convertBy(client: Client, name: string, conversion: JsonObject): Promise<void> {
  const definition = await client.get(resources.definitions, name);
  if (definition === undefined || urlsIn(definition.spec) === urlsIn({ conversion })) return;
  const body = { spec: { conversion } };
  await client.patch(resources.definitions, name, { type: "merge", body });
}

/** Every URL at which the API server would ask, in their order. */
function urlsIn(value: unknown): string {
  return [...JSON.stringify(value ?? null).matchAll(/"url":"([^"]*)"/g)].map(([, url]) => url).join(" ");
}

// Tells the API server where to ask, if nobody has installed that, and by which authority we are certified.
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../kube/client.ts";
import * as bundles from "../runtime/ca-bundle.ts";
import * as webhooks from "../webhooks/webhook-configurations.ts";
import type { ProgramRun } from "./program-run.ts";

/** Publishes the bundle; true when every configuration that is there has it. */
export async function publishWebhooks({ settings, kinds, client }: ProgramRun, bundle: string): Promise<boolean> {
  const { webhook } = settings;
  // A Service comes with an installation, which has the configurations, too. A URL is somebody's own machine.
  if (webhook.by === "url") await installWebhooks(client, kinds, (path) => ({ url: `${webhook.url}${path}` }));
  const targets: readonly bundles.BundleTarget[] = [
    { resource: bundles.validatingConfigurations, name: webhooks.VALIDATOR },
    { resource: bundles.validatingConfigurations, name: webhooks.PATCHES_VALIDATOR },
    { resource: bundles.mutatingConfigurations, name: webhooks.DEFAULTER },
    ...kinds.map(({ plural, group }) => ({ resource: bundles.resourceDefinitions, name: `${plural}.${group}` })),
  ];
  return bundles.publishBundle(client, targets, bundle);
}

async function installWebhooks(client: Client, kinds: readonly Kind[], reach: webhooks.Reach): Promise<void> {
  const hooked = kinds.map(({ group, kind, plural, version, conversion, withDefaults }) => ({
    ...{ group, kind, plural, versions: [version, ...(conversion?.otherVersions ?? [])] },
    hasDefaults: withDefaults !== undefined,
  }));
  for (const configuration of webhooks.validatingConfigurations(hooked, reach)) {
    await client.apply(bundles.validatingConfigurations, configuration, { force: true });
  }
  await client.apply(bundles.mutatingConfigurations, webhooks.mutatingConfiguration(hooked, reach), { force: true });
  for (const { group, plural } of kinds.filter(({ conversion }) => conversion !== undefined)) {
    const body = { spec: { conversion: webhooks.conversionBy(reach) } };
    await client.patch(bundles.resourceDefinitions, `${plural}.${group}`, { type: "merge", body });
  }
}

// The webhooks of a run: served with certificates that replicas share, and made known to the API server.
import { CertificateKeeper } from "../runtime/certificates/certificate-keeper.ts";
import type { Checks } from "../runtime/http/health.ts";
import type { Part } from "../runtime/lifecycle.ts";
import { nodeCryptoKeys } from "../runtime/node/node-crypto-keys.ts";
import { NodeHttpServer } from "../runtime/node/node-http-server.ts";
import { webhookRoutes } from "../webhooks/webhook-routes.ts";
import { PROGRAM, type ProgramRun } from "./program-run.ts";
import { publishWebhooks } from "./publish-webhooks.ts";

/** The part and what its readiness depends on; neither where the API server is not to ask us. */
export function webhookPart(run: ProgramRun): { readonly parts: readonly Part[]; readonly checks: Checks } {
  const { settings, kinds, client, clock, rand, log } = run;
  const { webhook, namespace, webhookService, webhookPort: port, certificateSecret: secretName } = settings;
  if (webhook.by === "nobody") return { parts: [], checks: {} };
  const life = new AbortController();
  const host = webhook.by === "url" ? new URL(webhook.url).hostname : `${webhookService}.${namespace}.svc`;
  let server: NodeHttpServer | undefined;
  const keeper = new CertificateKeeper({
    ...{ client, clock, rand, log, keys: nodeCryptoKeys(), namespace, secretName, subject: PROGRAM, hosts: [host] },
    publish: (bundle) => publishWebhooks(run, bundle),
    serve: (certificate) => {
      if (server !== undefined) return server.setCertificate(certificate);
      const routes = webhookRoutes(kinds);
      const options = { name: "webhook", routes, port, ...listenAt(host), certificate, clock, log };
      server = new NodeHttpServer(options);
      server.start().then(
        (at) => log.info("serving webhooks", { port: at }),
        (error) => log.error("cannot serve webhooks", { error }),
      );
    },
  });
  const part: Part = {
    ...{ name: "webhooks", phase: "serve" },
    // Not awaited: an API server that is away for a while is no reason to give up.
    start: async () => void keeper.run(life.signal),
    stop: async (drainMs) => {
      life.abort();
      await server?.stop(drainMs);
    },
  };
  const isServing = () => (keeper.serving === undefined ? "there is no certificate yet" : undefined);
  return { parts: [part], checks: { webhook: isServing } };
}

/** What only this machine calls is open to this machine alone. */
function listenAt(host: string): { readonly host?: string } {
  return host === "localhost" ? { host } : {};
}

// How the parts of an installation are called: as the operator's settings have it when nobody sets them.
import { PROGRAM, VERSION } from "../../../src/assembly/program-run.ts";
import { SETTINGS } from "../../../src/cli/settings/run-settings.ts";

export const NAME = PROGRAM;
export const NAMESPACE = byDefault("namespace");
export const WEBHOOK_SERVICE = byDefault("webhookService");
export const CERTIFICATE_SECRET = byDefault("certificateSecret");
export const IMAGE = `${PROGRAM}:${VERSION}`;
export const WEBHOOK_PORT = Number(byDefault("webhookPort"));
export const HTTP_PORT = Number(byDefault("httpPort"));
export const labels = { "app.kubernetes.io/name": NAME };

function byDefault(key: (typeof SETTINGS)[number]["key"]): string {
  return SETTINGS.find((setting) => setting.key === key)?.fallback ?? "";
}

// What a probe asks: /healthz (restart me?), /readyz (send me requests?) and /metrics. Each check says why it fails.
import type { Registry } from "prom-client";
import type { Handler, Routes, ServerAnswer } from "./http-routes.ts";

/** Undefined when all is well, otherwise the reason why not. */
export type Check = () => string | undefined;

export type Checks = Readonly<Record<string, Check>>;

/** The routes for probes and for Prometheus. */
export function healthRoutes(parts: {
  readonly alive: Checks;
  readonly ready: Checks;
  readonly registry: Pick<Registry, "metrics" | "contentType">;
}): Routes {
  return new Map<string, Handler>([
    ["GET /healthz", () => printChecks(parts.alive)],
    ["GET /readyz", () => printChecks(parts.ready)],
    [
      "GET /metrics",
      async () => ({
        status: 200,
        headers: { "content-type": parts.registry.contentType },
        body: await parts.registry.metrics(),
      }),
    ],
  ]);
}

/** 200 when every check passes, otherwise 503; the body names each check and what is wrong with it. */
export function printChecks(checks: Checks): ServerAnswer {
  const results = Object.entries(checks).map(([name, check]) => ({ name, because: run(check) }));
  const isWell = results.every(({ because }) => because === undefined);
  const lines = results.map(({ name, because }) => (because === undefined ? `[+] ${name}` : `[-] ${name}: ${because}`));
  return {
    status: isWell ? 200 : 503,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: [...lines, isWell ? "ok" : "not ok", ""].join("\n"),
  };
}

/** A check that throws is a failed check, not a failed probe. */
function run(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check itself failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

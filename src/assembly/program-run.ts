// What all parts of one run of the operator's program share.
import type { RunSettings } from "../cli/settings/run-settings.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../kube/client/client.ts";
import type { Clock } from "../kube/clock.ts";
import type { Rand } from "../kube/rand.ts";
import type { Logger } from "../runtime/log/log.ts";
import type { Metrics } from "../runtime/metrics/metrics.ts";

/** Our name: field managers, events, metrics and certificates carry it. */
export const PROGRAM = "farrier";
/** That of package.json, which a bundle does not have. */
export const VERSION = "0.1.0";

export type ProgramRun = {
  readonly settings: RunSettings;
  readonly kinds: readonly Kind[];
  readonly client: Client;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly metrics: Metrics;
};

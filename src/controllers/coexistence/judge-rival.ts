// Whether another operator is at work, from what it leaves in the cluster: a Lease that somebody renews, and webhooks that answer for the kind.

import { instantIn } from "../../core/decision/object-identity.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import type { Kind, Rival } from "../../kinds/kind.ts";
import { listOf } from "../../kinds/schema/json-parts.ts";
import { decideClaim, type SeenLease } from "../../runtime/lease/lease-claim.ts";
import type { StandingBack } from "./rivals.ts";

/** Where a Lease names no duration: that of the operators in question. */
const LEASE_MS = 15_000;
/** Clocks of two machines do not differ by more. A Lease that is older than that need not be watched to know that nobody renews it. */
const LONG_DEAD_MS = 600_000;

export type RivalTraces = {
  /** Its Lease as it was seen, and since when it has stood so; undefined when there is none. */
  readonly lease: SeenLease | undefined;
  readonly renewTime: Json | undefined;
  /** The configurations of its webhooks that are there, by name. */
  readonly configurations: ReadonlyMap<string, JsonObject>;
};

export type Instant = { readonly monotonicMs: number; readonly wallMs: number };

/** Judges what was found of a rival; undefined when it is not at work. */
export function judgeRival(kind: Kind, rival: Rival, traces: RivalTraces, now: Instant): StandingBack | undefined {
  const remedy = `take it out of service, or run with --take-over ${kind.kind}`;
  const holder = liveHolder(traces, now);
  if (holder !== undefined) {
    const { namespace, name } = rival.lease;
    return stand(`${rival.name} is at work: "${holder}" renews Lease ${namespace}/${name}; ${remedy}`);
  }
  const [hook] = [...traces.configurations].filter(([, object]) => answersFor(object, kind));
  if (hook === undefined) return undefined;
  return stand(`the webhooks of ${rival.name} answer for ${kind.plural}.${kind.group} (${hook[0]}); ${remedy}`);
}

function stand(because: string): StandingBack {
  return { isCertain: true, because };
}

/** Who holds the Lease and has not been seen to let it run out. */
function liveHolder({ lease, renewTime }: RivalTraces, { monotonicMs, wallMs }: Instant): string | undefined {
  if (lease === undefined) return undefined;
  const renewedMs = instantIn(renewTime);
  if (renewedMs !== undefined && wallMs - renewedMs > LONG_DEAD_MS) return undefined;
  const { do: verdict } = decideClaim(lease, { identity: "", nowMs: monotonicMs, durationMs: LEASE_MS });
  return verdict === "wait" ? lease.record.holder : undefined;
}

function answersFor(configuration: JsonObject, { group, plural }: Kind): boolean {
  const hooks = listOf(configuration.webhooks).filter(isJsonObject);
  return hooks.some(({ rules }) =>
    listOf(rules)
      .filter(isJsonObject)
      .some(({ apiGroups, resources }) => names(apiGroups, group) && names(resources, plural)),
  );
}

function names(list: Json | undefined, wanted: string): boolean {
  return listOf(list).some((each) => each === wanted || each === "*" || each === "*/*" || each === `${wanted}/*`);
}

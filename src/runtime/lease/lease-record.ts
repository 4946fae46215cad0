// The Lease object (coordination.k8s.io/v1) as leader election reads and writes it. What is stored there may have been
// edited by anyone, so reading is tolerant; what we write is exact.
import type { KubeObject, Resource } from "../../kube/resource.ts";

export type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};

export type Lease = KubeObject & { readonly spec?: LeaseSpec };

export const leases: Resource<Lease> = {
  ...{ group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease" },
  namespaced: true,
};

/** What a Lease says, whatever state it is in. */
export type LeaseRecord = {
  /** "" when nobody holds it. */
  readonly holder: string;
  /** How long the holder asks others to wait; undefined when the Lease names no usable time. */
  readonly durationMs: number | undefined;
  readonly transitions: number;
  readonly acquireTime: string | undefined;
  /** Equal marks mean that nobody has written the record in between. */
  readonly mark: string;
};

/** A duration beyond this is taken for damage: it would lock everybody out. */
const DURATION_SECONDS_MAX = 600;
const TRANSITIONS_MAX = 2 ** 31 - 1;

/** Reads a Lease that anyone may have written. */
export function readLease(lease: Lease): LeaseRecord {
  const spec: Partial<Record<keyof LeaseSpec, unknown>> = lease.spec ?? {};
  const { holderIdentity, leaseDurationSeconds: seconds, leaseTransitions: transitions, acquireTime } = spec;
  const isUsable = typeof seconds === "number" && seconds > 0 && seconds <= DURATION_SECONDS_MAX;
  const isCount = typeof transitions === "number" && transitions >= 0 && transitions < TRANSITIONS_MAX;
  return {
    holder: typeof holderIdentity === "string" ? holderIdentity : "",
    durationMs: isUsable ? seconds * 1_000 : undefined,
    transitions: isCount ? transitions : 0,
    acquireTime: typeof acquireTime === "string" ? acquireTime : undefined,
    mark: JSON.stringify([holderIdentity, seconds, acquireTime, spec.renewTime, transitions]),
  };
}

/** The spec that claims or renews a Lease for `holder`, following on `before`. */
export function heldBy(
  holder: string,
  before: LeaseRecord | undefined,
  now: { readonly wallMs: number; readonly durationMs: number },
): LeaseSpec {
  const isRenewal = before?.holder === holder;
  const time = microTime(now.wallMs);
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(now.durationMs / 1_000),
    acquireTime: (isRenewal ? before.acquireTime : undefined) ?? time,
    renewTime: time,
    leaseTransitions: (before?.transitions ?? 0) + (isRenewal || before === undefined ? 0 : 1),
  };
}

/** The shortest duration a Lease can carry; together with no holder it says that the last one left on purpose. */
const RELEASED_SECONDS = 1;

/** The spec that a leaving holder writes: no holder, so that the next one need not wait. */
export function released(before: LeaseRecord, wallMs: number): LeaseSpec {
  const time = microTime(wallMs);
  return {
    leaseDurationSeconds: RELEASED_SECONDS,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: before.transitions,
  };
}

/** Whether nobody ever held the Lease or its last holder gave it back; a holder erased by hand is neither. */
export function isFree(record: LeaseRecord): boolean {
  if (record.holder !== "") return false;
  return record.durationMs === undefined || record.durationMs <= RELEASED_SECONDS * 1_000;
}

/** Kubernetes' MicroTime: RFC 3339 with exactly six fractional digits, which is all that older API servers accept. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace("Z", "000Z");
}

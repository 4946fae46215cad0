// What a kubelet does about its own node: it registers once, tells the status of each boot, contradicts whoever calls it
// lost, and renews its lease.
import type { Clock } from "../../src/kube/clock.ts";
import { pause } from "../../src/kube/clock.ts";
import { type Heartbeat, heartbeatFor } from "./heartbeat.ts";
import type { KubeletOptions, KubeletPorts } from "./kubelet-ports.ts";
import { LINK_DELAY_MAX_MS, type LinkOf } from "./link.ts";
import { settled } from "./machine.ts";
import { isTold, type NodeView } from "./node-object.ts";
import { registerNode, renewLease, reportNode } from "./node-writes.ts";
import type { Residents } from "./residents.ts";
import type { SteadyTime } from "./steady-time.ts";

/** When to look again, if ever. */
export type Again = { readonly againInMs: number } | undefined;

export type NodeDutyParts = {
  readonly ports: KubeletPorts;
  readonly options: KubeletOptions;
  readonly residents: Residents;
  readonly linkOf: LinkOf;
  readonly now: SteadyTime;
  /** The node as its kubelet knows it. */
  readonly nodeOf: (name: string) => NodeView | undefined;
  /** Called when the API has the status of a boot. */
  readonly onReported: (name: string) => void;
};

/** A kubelet renews a little before the time, so that two that met do not renew at once for ever. */
const EARLIEST_RENEWAL = 0.75;

export class NodeDuty {
  readonly #parts: NodeDutyParts;

  constructor(parts: NodeDutyParts) {
    this.#parts = parts;
  }

  /** Brings what the API knows of a node up to date. */
  async lookAfter(name: string, signal: AbortSignal): Promise<Again> {
    const { ports, options, residents, now, nodeOf, onReported } = this.#parts;
    const nowMs = now();
    const resident = residents.get(name);
    if (resident === undefined) return undefined;
    const machine = settled(resident.machine, nowMs);
    if (machine.presence.is === "booting") return { againInMs: machine.presence.untilMs - nowMs };
    if (machine.presence.is === "away") return undefined;
    const node = nodeOf(name);
    // A node that somebody has deleted stays away until its kubelet is started again, as with real ones.
    if (resident.isReported && (node === undefined || isTold(node, machine))) return undefined;
    const write = resident.nodeUid === undefined ? registerNode : reportNode;
    await this.#underway(name, signal);
    const nodeUid = await write(ports.client, machine, options, nowMs);
    // The machine may have been rebooted or taken away meanwhile; then it has been woken again.
    const told = { machine, nodeUid: nodeUid ?? resident.nodeUid, isReported: true, hasLease: resident.hasLease };
    if (residents.replace(name, resident, told)) onReported(name);
    return undefined;
  }

  /** Renews the lease of a node; nobody does it while the machine is away. */
  async renew(name: string, signal: AbortSignal): Promise<Again> {
    const { ports, residents } = this.#parts;
    const { client, clock, rand } = ports;
    const resident = residents.get(name);
    if (resident?.nodeUid === undefined || resident.machine.presence.is !== "up") return undefined;
    const heartbeat = this.#heartbeat();
    const { nodeUid, hasLease } = resident;
    await this.#underway(name, signal);
    const wish = { nodeUid, leaseSeconds: heartbeat.graceSeconds, isFirst: !hasLease };
    await renewLease(client, resident.machine, wish, clock.wallMs());
    if (!hasLease) residents.replace(name, resident, { ...resident, hasLease: true });
    // A fleet that joins at once must not renew at once: the second renewal comes at any time, and spreads all that follow.
    const earliest = hasLease ? EARLIEST_RENEWAL : 0;
    return { againInMs: heartbeat.everyMs * (earliest + (1 - earliest) * rand.next()) };
  }

  #heartbeat(): Heartbeat {
    return this.#parts.options.heartbeat ?? heartbeatFor(this.#parts.residents.size);
  }

  #underway(name: string, signal: AbortSignal): Promise<void> {
    return delivered(this.#parts.ports.clock, this.#parts.linkOf(name).tellsAfterMs, signal);
  }
}

/** Resolves when a message has crossed a link. */
export async function delivered(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs > LINK_DELAY_MAX_MS)
    throw new Error(
      `a link of ${delayMs} ms is too slow; give at most ${LINK_DELAY_MAX_MS}, or let the machine vanish`,
    );
  if (delayMs > 0) await pause(clock, delayMs, signal);
}

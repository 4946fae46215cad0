// One story for all contestants: what people ask for in each act, what an oracle has to send for it, and when it is reached.
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { OracleOrder } from "./contestants/oracle-order.ts";
import type { FleetView } from "./fleet-observer.ts";

export type Act = {
  readonly name: string;
  /** A person's write that begins the act, to a manager that reads objects of this kind. */
  ask(client: Client, kind: AskedKind): Promise<void>;
  /** The same for the oracle. */
  answer(client: Client, view: FleetView): Promise<OracleOrder>;
  /** Looks at the state before the act begins, where its end is a difference. */
  before?(view: FleetView): void;
  isReached(view: FleetView): boolean;
};

/** Whose object the person writes: that of the kind which is measured, or the native DaemonSet beside it. */
export type AskedKind = "own" | "native";

export type Scene = {
  readonly machines: readonly MachineSpec[];
  /** Makes what has to be there before the first contestant. */
  prepare(client: Client): Promise<void>;
  /** Reads from the cluster what an oracle will have to write, where only the operator knows that beforehand. */
  record?(client: Client, view: FleetView): Promise<void>;
  /** Takes away what the acts have left, when nobody acts any more. */
  clear(client: Client): Promise<void>;
  isClear(view: FleetView): boolean;
};

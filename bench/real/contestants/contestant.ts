// Those who play a story: the operator, the oracle, and controller managers of others. Each is a process of its own.
//
// Beside this file:
//   process-contestant, farrier-contestant, guest    programs with a kubeconfig, ours and others'
//   native-contestant                                Kubernetes' own controller manager
//   oracle-contestant, oracle-program, oracle-order  the oracle, which knows the answer
//   child                                            talks with a child process

import type { RealPlane } from "../real-plane.ts";
import type { Act, AskedKind } from "../scene.ts";

export type Contestant = {
  readonly name: string;
  /** Its user at the API server, by which its requests are told apart. */
  readonly user: string;
  start(plane: RealPlane): Promise<Playing>;
};

export type Playing = {
  readonly pid: number;
  /** Gets everything ready that is not to be measured; what it resolves to begins the act. */
  prepare(act: Act): Promise<() => Promise<void>>;
  /** Ends the process; resolves when it is gone. */
  stop(): Promise<void>;
};

/** An act that begins with a person's write. */
export function askedBy(plane: RealPlane, kind: AskedKind): Playing["prepare"] {
  return async (act) => () => act.ask(plane.admin.client, kind);
}

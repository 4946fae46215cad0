// What the commands are handed: the cluster, files, the terminal. main.ts binds them to the machine, tests to values.
import type { Client } from "../kube/client/client.ts";
import type { Paint } from "./output/print.ts";

export type CliPorts = {
  /** Results, for standard output. */
  readonly out: (text: string) => void;
  /** Everything else, for standard error; whole lines. */
  readonly err: (line: string) => void;
  /** The text of a file; rejects with a message that names it. */
  readonly readFile: (path: string) => Promise<string>;
  /** The manifests in a folder, by path and in order; the path alone if it is a file. */
  readonly listFiles: (path: string) => Promise<readonly string[]>;
  readonly readInput: () => Promise<string>;
  /** A person's answer to a question; absent where nobody is there to give one. */
  readonly askPerson?: ((question: string) => Promise<string>) | undefined;
  readonly connect: (wishes: Connecting) => Promise<Connected>;
  readonly wallMs: () => number;
  readonly paint: Paint;
};

export type Connecting = { readonly kubeconfig?: string | undefined; readonly context?: string | undefined };

export type Connected = {
  readonly client: Client;
  /** Where it was read how to get there. */
  readonly origin: string;
  readonly server: string;
  /** For objects whose namespace is not given. */
  readonly namespace: string;
  readonly close: () => void;
};

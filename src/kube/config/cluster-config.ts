// What is needed to talk to one cluster, and what it takes to find that out.
import type { Clock } from "../clock.ts";
import type { Files, Programs } from "../files.ts";
import type { CredentialSource } from "./credentials.ts";

export type ClusterConfig = {
  /** For messages: where all this was read. */
  readonly origin: string;
  /** "https://host:port", with a path where a proxy serves several clusters. */
  readonly server: string;
  /** The proxy that the kubeconfig names for this server. */
  readonly proxyUrl?: string;
  /** For objects whose namespace is not given. */
  readonly namespace: string;
  readonly credentials: CredentialSource;
};

export type ConfigParts = {
  readonly files: Files;
  readonly programs: Programs;
  readonly clock: Clock;
  /** The environment, as a value. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type ConfigWishes = { readonly kubeconfig?: string | undefined; readonly context?: string | undefined };

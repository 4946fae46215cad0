// Writers that write as fast as their client lets them and keep account of what it told them, so that its word can be
// compared with what the server holds.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { configMaps } from "./config-maps.ts";

/** What a client said of one write: nothing when it was done, otherwise why not. */
export type Told = { readonly id: string; readonly trouble: unknown };

export type BusyWriters = {
  /** Every write that is over, in the order in which the client said so. */
  readonly told: readonly Told[];
  /** Resolves when every writer has been told what became of its last write. */
  stop(): Promise<void>;
};

/** An object whose name the server makes up: to create it twice makes two. */
type Nameless = KubeObject & {
  readonly metadata: { readonly generateName: string };
  readonly data: { readonly id: string };
};

const { group, version, plural, kind, namespaced } = configMaps;
const nameless: Resource<Nameless> = { group, version, plural, kind, namespaced };

export const WRITERS = 5;
const BETWEEN_WRITES_MS = 10;

/** Writers that create one object after the other and leave the names to the server. */
export function startMakers(client: Client, namespace: string): BusyWriters {
  return startWriters(async (id) => {
    const metadata = { name: "", generateName: "made-", namespace };
    await client.create(nameless, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { id } });
  });
}

/** Writers that each set their own object to one number after the other, which is harmless twice. */
export function startSetters(client: Client, namespace: string): BusyWriters {
  return startWriters(async (id, writer) => {
    const metadata = { name: `set-${writer}`, namespace };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { id } };
    await client.apply(configMaps, object);
  });
}

/** Ids are "WRITER-NUMBER" and rise per writer. */
function startWriters(write: (id: string, writer: number) => Promise<void>): BusyWriters {
  const told: Told[] = [];
  let isStopped = false;
  const run = async (writer: number) => {
    for (let number = 1; !isStopped; number++) {
      const id = `${writer}-${number}`;
      const trouble = await write(id, writer).catch((error) => error);
      told.push({ id, trouble });
      await pause(BETWEEN_WRITES_MS);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => run(writer));
  return {
    told,
    async stop() {
      isStopped = true;
      await Promise.all(writers);
    },
  };
}

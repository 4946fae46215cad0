// Records every change that is committed to the store, in order, from before a test until its end. It watches etcd itself,
// so that no API server, proxy or client can hide a change from it, and goes on after etcd was killed.
// Assumes: the API server stores JSON (see STORES_JSON).
import { type ClientRequest, request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { currentRevision, encoded, field } from "./etcd-gateway.ts";

/** A committed change of one object. */
export type Committed = {
  /** Its place in the order of all changes; for the object it is the resourceVersion. */
  readonly revision: number;
  /** As in "/registry/configmaps/default/one": "configmaps", "default" and "one". */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined when the object was removed. */
  readonly object: unknown;
};

/** Has the API server store objects in a form that can be read here. */
export const STORES_JSON = { "kube-apiserver": ["--storage-media-type=application/json"] } as const;

const RECONNECT_MS = 100;
const REGISTRY = "/registry/";
/** The first text after all that begin with the registry's name. */
const REGISTRY_END = "/registry0";

/** Begins to record; what is committed after this has resolved is recorded. */
export async function startObserver(etcdPort: number): Promise<Observer> {
  const observer = new Observer(etcdPort, await currentRevision(etcdPort));
  observer.run();
  return observer;
}

export class Observer {
  readonly #port: number;
  readonly #changes: Committed[] = [];
  readonly #stopped = new AbortController();
  #revision: number;
  #fault: string | undefined;

  constructor(port: number, revision: number) {
    this.#port = port;
    this.#revision = revision;
  }

  /** The changes of one resource in one namespace so far, oldest first. */
  changes(resource: string, namespace: string): readonly Committed[] {
    if (this.#fault !== undefined) throw new Error(`the observer has missed changes: ${this.#fault}`);
    return this.#changes.filter((change) => change.resource === resource && change.namespace === namespace);
  }

  stop(): void {
    this.#stopped.abort();
  }

  run(): void {
    void this.#watchForEver();
  }

  async #watchForEver(): Promise<void> {
    while (!this.#stopped.signal.aborted && this.#fault === undefined) {
      await this.#watch().catch(() => undefined);
      await pause(RECONNECT_MS);
    }
  }

  async #watch(): Promise<void> {
    const create = { key: encoded(REGISTRY), range_end: encoded(REGISTRY_END), start_revision: this.#revision + 1 };
    const watch = request(`http://127.0.0.1:${this.#port}/v3/watch`, {
      ...{ method: "POST", agent: false, signal: this.#stopped.signal },
    });
    watch.write(`${JSON.stringify({ create_request: create })}\n`);
    for await (const line of linesOf(watch)) this.#hear(JSON.parse(line));
  }

  #hear(message: unknown): void {
    const result = field(message, "result");
    if (field(result, "canceled") === true) this.#fault = JSON.stringify(message);
    const events = field(result, "events");
    if (!Array.isArray(events)) return;
    for (const event of events) {
      const change = readChange(event);
      this.#changes.push(change);
      this.#revision = Math.max(this.#revision, change.revision);
    }
  }
}

async function* linesOf(watch: ClientRequest): AsyncGenerator<string> {
  const answer = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    watch.on("response", resolve);
    watch.on("error", reject);
  });
  answer.on("error", () => undefined);
  yield* createInterface({ input: answer });
}

function readChange(event: unknown): Committed {
  const pair = field(event, "kv");
  const key = Buffer.from(String(field(pair, "key")), "base64").toString();
  const [resource = "", namespace = "", name = ""] = key.slice(REGISTRY.length).split("/");
  const isRemoved = field(event, "type") === "DELETE";
  return {
    revision: Number(field(pair, "mod_revision")),
    ...{ resource, namespace, name },
    object: isRemoved ? undefined : parsed(Buffer.from(String(field(pair, "value")), "base64").toString()),
  };
}

/** What is not stored as JSON (the server's own records) is of no interest here. */
function parsed(text: string): unknown {
  return text.startsWith("{") ? JSON.parse(text) : text;
}

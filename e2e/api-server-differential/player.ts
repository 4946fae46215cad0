// Plays operations on one server and remembers what it said: the differential runs two of these side by side.
import { metaOf, textAt } from "../../sim/api-server/api-object.ts";
import { readJson } from "../../sim/api-server/request/json-body.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { printJson } from "../../src/kube/wire/json-text.ts";
import { type Call, collectionOf, type Key, nameIn, type Operation, pathIn, type View } from "./operation.ts";
import type { Subject } from "./subject.ts";

export type Said = { readonly status: number; readonly warning: string; readonly body: Json };

export type PlayerOptions = {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
};

const decoder = new TextDecoder();
/** Created last in every kind: the watch of a kind ends with it. */
const LAST = "zz-last";

export class Player {
  readonly #options: PlayerOptions;
  readonly #live = new Map<string, JsonObject>();
  readonly #versions = new Map<string, string[]>();
  readonly #view: View;
  readonly #ended = new AbortController();
  #position = "";

  constructor(options: PlayerOptions) {
    this.#options = options;
    const { namespace } = options;
    this.#view = {
      namespace,
      live: (key) => this.#live.get(idOf(key)),
      oldVersion: (key) => this.#versions.get(idOf(key))?.[0] ?? "1",
      position: () => this.#position,
    };
  }

  get view(): View {
    return this.#view;
  }

  /** Makes the namespace, with the account that pods need. */
  async prepare(): Promise<void> {
    const { namespace } = this.#options;
    await this.#must("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await this.#must(path, { ...account, automountServiceAccountToken: false });
  }

  async #must(path: string, body: JsonObject): Promise<void> {
    const { status, body: said } = await this.send({ method: "POST", path, body });
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(said)}`);
  }

  /** Plays an operation and what shows its effect; undefined where there was nothing to do. */
  async play(operation: Operation): Promise<readonly Said[] | undefined> {
    const call = operation.call(this.#view);
    if (call === undefined) return undefined;
    const said = await this.send(call);
    if (operation.keys.length === 0 && isJsonObject(said.body)) this.#position = textAt(metaOf(said.body), "continue");
    const effects: Said[] = [];
    for (const key of operation.keys) {
      const after = await this.send({ method: "GET", path: pathIn(key, this.#options.namespace) });
      this.#learn(key, after);
      effects.push(after);
    }
    return [said, ...effects];
  }

  #learn(key: Key, { status, body }: Said): void {
    const id = idOf(key);
    if (status !== 200 || !isJsonObject(body)) {
      this.#live.delete(id);
      return;
    }
    this.#live.set(id, body);
    const versions = this.#versions.get(id) ?? [];
    const version = textAt(metaOf(body), "resourceVersion");
    if (versions.at(-1) !== version) this.#versions.set(id, [...versions, version].slice(-3));
  }

  async send({ method, path, body, media = "application/json" }: Call): Promise<Said> {
    const { transport, headers } = this.#options;
    const text = typeof body === "string" ? body : body === undefined ? undefined : printJson(body);
    const answer = await transport.request({
      ...{ method, path, lane: "calls" },
      headers: { ...headers, accept: "application/json", ...(text === undefined ? {} : { "content-type": media }) },
      ...(text === undefined ? {} : { body: text }),
    });
    return { status: answer.status, warning: answer.headers.warning ?? "", body: read(decoder.decode(answer.body)) };
  }

  /** Starts to read the changes of every kind; the returned function ends that and gives them, each kind's in order. */
  async watch(): Promise<() => Promise<ReadonlyMap<string, readonly Json[]>>> {
    const { subjects } = this.#options;
    const reading = await Promise.all(subjects.map((subject) => this.#follow(subject)));
    return async () => {
      for (const subject of subjects) await this.#markEnd(subject);
      const streams = new Map<string, readonly Json[]>();
      for (const { subject, events } of reading) streams.set(subject.plural, await events);
      return streams;
    };
  }

  /** Ends what is still open. */
  close(): void {
    this.#ended.abort();
  }

  async #markEnd(subject: Subject): Promise<void> {
    const { namespace } = this.#options;
    const name = nameIn({ subject, name: LAST }, namespace);
    const marker = markerOf(subject, name, namespace);
    const said = await this.send({ method: "POST", path: collectionOf(subject, namespace), body: marker });
    if (said.status !== 201) throw new Error(`the last ${subject.kind}: ${said.status} ${JSON.stringify(said.body)}`);
  }

  /** Reads on its own from here; the events come in a field, since a promise of a promise would wait for them. */
  async #follow(subject: Subject): Promise<{ readonly subject: Subject; readonly events: Promise<readonly Json[]> }> {
    const { transport, headers, namespace } = this.#options;
    const list = await this.send({ method: "GET", path: `${collectionOf(subject, namespace)}?limit=1` });
    const version = isJsonObject(list.body) ? textAt(metaOf(list.body), "resourceVersion") : "";
    const path = `${collectionOf(subject, namespace)}?watch=1&resourceVersion=${version}`;
    const { signal } = this.#ended;
    const { chunks } = await transport.stream({ method: "GET", path, lane: "watches", headers, signal });
    const events = readUntil(chunks, nameIn({ subject, name: LAST }, namespace));
    // An episode that fails does not ask for its events, and closing it breaks the stream.
    events.catch(() => undefined);
    return { subject, events };
  }
}

/** The events of a stream, up to the one about the last object. */
async function readUntil(chunks: AsyncIterable<Uint8Array>, last: string): Promise<readonly Json[]> {
  const events: Json[] = [];
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const event = read(line);
      if (isJsonObject(event) && isJsonObject(event.object) && textAt(metaOf(event.object), "name") === last)
        return events;
      events.push(event);
    }
  }
  return [...events, "the stream has ended"];
}

/** The value of a body; text that is no JSON stays text. */
function read(text: string): Json {
  const found = readJson(text);
  return found.ok ? found.value : text;
}

function idOf({ subject, name }: Key): string {
  return `${subject.plural}/${name}`;
}

/** The least object of each kind. */
function markerOf({ apiVersion, kind }: Subject, name: string, namespace: string): JsonObject {
  const labels = { app: "zz" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const contents: Readonly<Record<string, JsonObject>> = {
    Pod: { spec: template.spec },
    DaemonSet: { spec: { selector: { matchLabels: labels }, template } },
    Deployment: { spec: { selector: { matchLabels: labels }, template } },
    ReplicaSet: { spec: { selector: { matchLabels: labels }, template } },
    Job: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
    Event: { involvedObject: { namespace } },
    ControllerRevision: { data: {}, revision: 1 },
    Gadget: { spec: {} },
  };
  return { apiVersion, kind, metadata: { name }, ...contents[kind] };
}

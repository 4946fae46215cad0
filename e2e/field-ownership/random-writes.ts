// Random writes of a few managers to one object, each with what the embedded server's functions make of it.
import { metaOf, objectAt, withFields, withMeta } from "../../sim/api-server/api-object.ts";
import { withKeptTimes } from "../../sim/api-server/field-ownership/kept-times.ts";
import { TrackedOwnership } from "../../sim/api-server/field-ownership/tracked-ownership.ts";
import { mergePatch } from "../../sim/api-server/patch/merge-patch.ts";
import type { ResourceType } from "../../sim/api-server/resource-type.ts";
import { isJsonList, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { type Chance, someMeta, someStatus } from "./random-objects.ts";

/** A write as it goes to the server, and what it should make of the object at some time. */
export type RandomWrite = {
  readonly says: string;
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly contentType: string;
  readonly body: Json;
  readonly expected: (now: string) => JsonObject;
};

export type Subject = {
  /** The versions of the kind, at least one. */
  readonly types: readonly [ResourceType, ...ResourceType[]];
  /** What a configuration asks for; the first one of an object is whole. */
  readonly content: (chance: Chance, isFirst: boolean) => JsonObject;
};

/** Who writes what in which version, before what comes of it. */
type Attempt = {
  readonly type: ResourceType;
  readonly live: JsonObject | undefined;
  readonly manager: string;
  readonly subresource: string;
};

type Sent = Pick<RandomWrite, "method" | "contentType" | "body">;

/** Where a resource is served. */
export function pathOf(type: ResourceType, name: string, subresource = "", query = ""): string {
  const base = type.group === "" ? "/api" : `/apis/${type.group}`;
  const parts = [`${base}/${type.version}/namespaces/default/${type.plural}`, name, subresource];
  return `${parts.filter((part) => part !== "").join("/")}?${query}`;
}

/** An object as the kind reads it. */
function read(type: ResourceType, object: JsonObject): JsonObject {
  const decoded = type.rules.decode(object);
  if (!decoded.ok) throw new Error(decoded.because);
  return decoded.value;
}

/** The writes that come to one object. */
export class RandomWrites {
  readonly #chance: Chance;
  readonly #subject: Subject;
  readonly #name: string;
  readonly #ownership = new TrackedOwnership();

  constructor(chance: Chance, subject: Subject, name: string) {
    this.#chance = chance;
    this.#subject = subject;
    this.#name = name;
  }

  /** The next write, given the object as it is. */
  next(stored: JsonObject | undefined): RandomWrite {
    const type = this.#chance.one(this.#subject.types);
    const live = stored === undefined ? undefined : withFields(stored, { apiVersion: apiVersionOf(type) });
    const attempt = { type, live, manager: this.#chance.one(["one", "two", "three", "kubectl"]), subresource: "" };
    if (live === undefined) return this.#chance.is(0.5) ? this.#create(attempt) : this.#apply(attempt);
    const dice = this.#chance.below(type.isCustom ? 100 : 84);
    if (dice < 60) return this.#apply(attempt);
    if (dice < 72) return this.#replace(attempt, live);
    if (dice < 84) return this.#patch(attempt, live);
    if (dice < 91) return this.#apply({ ...attempt, subresource: "status" });
    return dice < 96 ? this.#patch({ ...attempt, subresource: "status" }, live) : this.#scale(attempt, live);
  }

  #wanted({ type, live, subresource }: Attempt): JsonObject {
    const metadata = { name: this.#name, ...someMeta(this.#chance) };
    const content = this.#subject.content(this.#chance, live === undefined);
    const status = subresource === "status" ? { status: someStatus(this.#chance) } : {};
    return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, ...content, ...status };
  }

  #create(attempt: Attempt): RandomWrite {
    const body = this.#wanted(attempt);
    const next = read(attempt.type, withMeta(body, { namespace: "default" }));
    const sent = { method: "POST", contentType: "application/json", body } as const;
    const expected = (now: string) => this.#ownership.track(next, { ...attempt, now });
    return { says: `a create by ${attempt.manager}`, ...sent, path: this.#pathTo(attempt, ""), expected };
  }

  #apply(attempt: Attempt): RandomWrite {
    const force = this.#chance.is(0.4);
    const body = this.#wanted(attempt);
    return {
      says: `an apply by ${attempt.manager}${force ? " with force" : ""} ${attempt.subresource}`,
      ...{ method: "PATCH", contentType: "application/apply-patch+yaml", body },
      path: `${this.#pathTo(attempt)}&force=${force}`,
      expected: (now) => {
        const next = read(attempt.type, this.#ownership.apply(body, { ...attempt, now, force }));
        return attempt.live === undefined ? next : this.#settled(attempt, next, attempt.live);
      },
    };
  }

  #replace(attempt: Attempt, live: JsonObject): RandomWrite {
    const { metadata, ...content } = this.#wanted(attempt);
    const meta = mergePatch(metaOf(live), withFields(metaOf({ metadata: metadata ?? {} }), { name: undefined }));
    const managedFields = this.#chance.is(0.2) ? this.#edited(meta.managedFields) : meta.managedFields;
    const body = withFields(mergePatch(live, content), { metadata: withFields(meta, { managedFields }) });
    return this.#update(attempt, { method: "PUT", contentType: "application/json", body }, body, live);
  }

  /** Some clients edit the list of owners. */
  #edited(entries: Json | undefined): Json {
    const list = isJsonList(entries) ? entries : [];
    return this.#chance.one<Json>([[], [{}], list.slice(1), list.toReversed(), null]);
  }

  #patch(attempt: Attempt, live: JsonObject): RandomWrite {
    const { apiVersion: _apiVersion, kind: _kind, ...wanted } = this.#wanted(attempt);
    const body = attempt.subresource === "status" ? { status: wanted.status ?? {} } : this.#withNulls(wanted);
    const sent = { method: "PATCH", contentType: "application/merge-patch+json", body } as const;
    return this.#update(attempt, sent, mergePatch(live, body), live);
  }

  /** A patch that takes things away, too. */
  #withNulls(patch: JsonObject): JsonObject {
    const [key = "spec"] = Object.keys(patch).filter((name) => name !== "metadata");
    const content = objectAt(patch, key);
    const needed = ["template", "selector"];
    const taken = Object.keys(content).filter((name) => !needed.includes(name) && this.#chance.is(0.2));
    return withFields(patch, { [key]: withFields(content, Object.fromEntries(taken.map((name) => [name, null]))) });
  }

  #update(attempt: Attempt, sent: Sent, result: JsonObject, live: JsonObject): RandomWrite {
    const says = `a ${sent.method} by ${attempt.manager} ${attempt.subresource}`;
    // An empty list of owners is a wish, though reading it leaves nothing of it.
    const sentOwners = { managedFields: metaOf(result).managedFields };
    const expected = (now: string) => {
      const next = read(attempt.type, result);
      const asSent = withFields(next, { metadata: withFields(metaOf(next), sentOwners) });
      return this.#settled(attempt, this.#ownership.track(asSent, { ...attempt, now }), live);
    };
    return { says, ...sent, path: this.#pathTo(attempt), expected };
  }

  #scale(attempt: Attempt, live: JsonObject): RandomWrite {
    const replicas = this.#chance.below(3);
    const metadata = { name: this.#name, namespace: "default" };
    const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas } };
    const next = withFields(live, { spec: withFields(objectAt(live, "spec"), { replicas }) });
    const scaled = { ...attempt, subresource: "scale" };
    // What it stores is read with defaults, like everything.
    const expected = (now: string) =>
      withKeptTimes(read(attempt.type, this.#ownership.track(next, { ...scaled, now })), live);
    const sent = { method: "PUT", contentType: "application/json", body } as const;
    return { says: `a scale by ${attempt.manager}`, ...sent, path: this.#pathTo(scaled), expected };
  }

  #pathTo({ type, manager, subresource }: Attempt, name = this.#name): string {
    return pathOf(type, name, subresource, `fieldManager=${manager}`);
  }

  /** The end of a write: status and the rest are apart, and times alone are no change. */
  #settled({ type, subresource }: Attempt, next: JsonObject, live: JsonObject): JsonObject {
    if (!type.subresources.includes("status")) return withKeptTimes(next, live);
    if (subresource !== "status") return withKeptTimes(withFields(next, { status: live.status }), live);
    const { managedFields } = metaOf(next);
    return withKeptTimes(withMeta(withFields(live, { status: next.status }), { managedFields }), live);
  }
}

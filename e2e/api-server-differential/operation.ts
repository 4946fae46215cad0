// One step of the differential, drawn before anybody plays it: both servers get the same step, filled in with what only they
// know (versions, identities, positions in lists).
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import type { Subject } from "./subject.ts";

export type Key = { readonly subject: Subject; readonly name: string };

/** A request as far as it is the same for both servers. */
export type Call = {
  readonly method: HttpRequest["method"];
  readonly path: string;
  /** Text is sent as it is. */
  readonly body?: Json;
  readonly media?: string;
};

export type Operation = {
  readonly says: string;
  /** The objects that it may change; none for reads. */
  readonly keys: readonly Key[];
  /** The call, given what this server has said so far; undefined where there is nothing to do. */
  readonly call: (view: View) => Call | undefined;
};

/** What a player knows of its server. */
export type View = {
  readonly namespace: string;
  /** The object as last seen; undefined where there is none. */
  readonly live: (key: Key) => JsonObject | undefined;
  /** A version that the object once had. */
  readonly oldVersion: (key: Key) => string;
  /** Where the last list stopped. */
  readonly position: () => string;
};

/** Stands for the namespace in what is drawn, since an operation may be played again in another one. */
export const NAMESPACE = "$namespace";

/** A drawn operation whose calls go to the namespace of whoever plays it. */
export function placed({ says, keys, call }: Operation): Operation {
  return {
    says,
    keys,
    call: (view) => {
      const drawn = call(view);
      if (drawn === undefined) return undefined;
      const path = drawn.path.replaceAll(NAMESPACE, view.namespace);
      return drawn.body === undefined ? { ...drawn, path } : { ...drawn, path, body: inPlace(drawn.body, view) };
    },
  };
}

function inPlace(value: Json, view: View): Json {
  if (typeof value === "string") return value.replaceAll(NAMESPACE, view.namespace);
  if (isJsonList(value)) return value.map((item) => inPlace(item, view));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inPlace(item, view)]));
}

/** Where the objects of a kind are. */
export function collectionOf({ apiVersion, plural, isClusterWide }: Subject, namespace: string): string {
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return isClusterWide ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
}

/** The name of an object; those without a namespace carry the episode's in it. */
export function nameIn({ subject, name }: Key, namespace: string): string {
  return subject.isClusterWide ? `${namespace}-${name}` : name;
}

/** Where an object is, or a part of it. */
export function pathIn(key: Key, namespace: string, subresource = ""): string {
  const path = `${collectionOf(key.subject, namespace)}/${nameIn(key, namespace)}`;
  return subresource === "" ? path : `${path}/${subresource}`;
}

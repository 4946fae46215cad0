// What the verbs work with, and what they answer. Built once by api-server.ts and handed to each of them.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Clock } from "../../src/kube/clock.ts";
import type { Rand } from "../../src/kube/rand.ts";
import { printJson } from "../../src/kube/wire/json-text.ts";
import type { KindMemory } from "./kind-memory.ts";
import type { FieldOwnership } from "./request/field-ownership-port.ts";
import type { Endpoint, ResourceTable } from "./resource-table.ts";
import type { Store } from "./store/store.ts";

export type ServerParts = {
  readonly store: Store;
  readonly resources: ResourceTable;
  readonly clock: Clock;
  /** The present, as objects carry it. */
  readonly now: () => string;
  readonly rand: Rand;
  readonly ownership: FieldOwnership;
  readonly memory: KindMemory;
  readonly admission: Admission;
};

/** What a request is about. Texts are empty where the path has nothing. */
export type Target = {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
};

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write as admission sees it; objects are in the version of the request. */
export type AdmissionRequest = {
  readonly target: Target;
  readonly operation: Operation;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly isDryRun: boolean;
  /** Takes what admission has to say to someone whom it lets pass. */
  readonly warn: (text: string) => void;
};

/** The gate that every write passes: twice, to be changed and to be refused. */
export interface Admission {
  /** The object with what admission adds; throws a Refusal. */
  mutate(object: JsonObject, request: AdmissionRequest): JsonObject | Promise<JsonObject>;
  /** Throws a Refusal, or rejects with one, when the write must not be. */
  validate(request: AdmissionRequest): void | Promise<void>;
}

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** What the body says, where that is an object of the store. */
  readonly value?: JsonObject;
};

const encoder = new TextEncoder();

/** An answer that is a JSON value. */
export function jsonAnswer(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: encoder.encode(printJson(body)) };
}

/** An answer that is plain text. */
export function textAnswer(status: number, text: string): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: encoder.encode(text) };
}

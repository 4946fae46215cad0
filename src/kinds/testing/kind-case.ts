// One row of a kind's shared table: an object and what becomes of it. The same rows are judged by our own validation, by the
// embedded API server and by a real one, so that the three cannot drift apart.
import type { Json, JsonObject } from "../../core/json/json.ts";

/** Who refuses: the values of the schema, its CEL rules, or admission, which sees more than either. */
export type RefusalLevel = "schema" | "cel" | "admission";

export type KindCase = {
  /** A sentence about the object: "a set without a template". */
  readonly name: string;
  readonly object: JsonObject;
  /** The stored object that this one would replace; a new object has none. */
  readonly old?: JsonObject;
  readonly verdict:
    | { readonly is: "accepted"; readonly warning?: string }
    | {
        readonly is: "refused";
        readonly by: RefusalLevel;
        /** The field that the message names. */
        readonly at: string;
        /** A part of our own message. */
        readonly says?: string;
      };
};

/** The verdict that the object is fine. */
export const accepted = Object.freeze({ is: "accepted" });

/** The verdict that the object is fine, with a warning that holds these words. */
export function acceptedWith(warning: string): KindCase["verdict"] {
  return { is: "accepted", warning };
}

/** The verdict that a level refuses the object at a field. */
export function refused(by: RefusalLevel, at: string, says?: string): KindCase["verdict"] {
  return { is: "refused", by, at, ...(says === undefined ? {} : { says }) };
}

/** A pod template with one container, in which the given fields of the pod's spec are put. */
export function aTemplate(spec: JsonObject = {}, labels: JsonObject = { app: "agent" }): JsonObject {
  return { metadata: { labels }, spec: { containers: [aContainer("agent")], ...spec } };
}

/** A container with a name and an image. */
export function aContainer(name: string, more: JsonObject = {}): JsonObject {
  return { name, image: "registry.example.com/agent:1.0", ...more };
}

/** A list of texts with a number each, for limits. */
export function many<T extends Json>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

// Objects of one controller are mostly alike: the pods of a set differ by a name and a node. What a new one repeats of the one
// made before it is taken from there, so that it is read, checked and stored once for all of them.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, textAt } from "../api-object.ts";

/** As many controllers as are at work at a time. */
const CONTROLLERS_MAX = 64;

/** The latest object of each controller, of one kind and version. */
export class Siblings {
  readonly #latest = new Map<string, JsonObject>();

  /** The object that was made last for the same controller; undefined for objects without one. */
  of(object: JsonObject): JsonObject | undefined {
    const controller = controllerOf(object);
    return controller === "" ? undefined : this.#latest.get(controller);
  }

  /** Remembers an object as it was stored. */
  keep(object: JsonObject): void {
    const controller = controllerOf(object);
    if (controller === "") return;
    this.#latest.delete(controller);
    this.#latest.set(controller, object);
    if (this.#latest.size > CONTROLLERS_MAX)
      for (const oldest of this.#latest.keys()) return void this.#latest.delete(oldest);
  }
}

function controllerOf(object: JsonObject): string {
  const [owner] = listAt(metaOf(object), "ownerReferences");
  return isJsonObject(owner) ? textAt(owner, "uid") : "";
}

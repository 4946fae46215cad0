// Objects of a kind are mostly alike: the nodes of a fleet, the pods of a set. One that names the same fields as one created
// before it owns the same set, which is found by a single walk and shared by all of them, in time and in memory.
import { isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { listAt, metaOf, textAt } from "../api-object.ts";
import { setFields } from "../patch/change-json.ts";
import { isSameJson, sizeOf } from "../same-json.ts";
import type { FieldSet } from "./field-set.ts";
import type { FieldType, ListType, MapType } from "./field-types.ts";
import { typeFaults } from "./type-faults.ts";
import { openList, openMap, shapeOf } from "./typed-value.ts";

/** As many as are made at a time: the pods of this many sets, in a few states each. */
const OWNERS_MAX = 64;
const SHAPES_PER_OWNER_MAX = 4;

type KnownShape = { readonly object: JsonObject; readonly fields: FieldSet };

export type ShapesOf = {
  readonly type: FieldType;
  /** The object that a create starts from: what is as in it nobody has written. */
  readonly nothing: JsonObject;
  /** The part that the server takes away from a create, so that nobody comes to own anything of it. */
  readonly reset: string | undefined;
};

/** The fields of recently created objects of one kind. */
export class KnownShapes {
  readonly #type: FieldType;
  readonly #nothing: JsonObject;
  readonly #reset: string | undefined;
  /** By the owner's UID, which is a part of the fields and tells most unlike objects apart at once; the latest last. */
  readonly #known = new Map<string, KnownShape[]>();

  constructor({ type, nothing, reset }: ShapesOf) {
    this.#type = type;
    this.#nothing = nothing;
    this.#reset = reset;
  }

  /** The fields of an object like this one; undefined if there was none. */
  fieldsOf(object: JsonObject): FieldSet | undefined {
    const shapes = this.#known.get(ownerOf(object));
    if (shapes === undefined || !this.#isResetFit(object)) return undefined;
    const kept = this.#keptOf(object);
    return shapes.find((known) => isAlike(this.#type, known.object, kept, this.#nothing))?.fields;
  }

  /** Remembers what an object names, and forgets what was learnt longest ago. */
  keep(object: JsonObject, fields: FieldSet): void {
    const owner = ownerOf(object);
    const shapes = this.#known.get(owner) ?? [];
    this.#known.delete(owner);
    this.#known.set(owner, [{ object: this.#keptOf(object), fields }, ...shapes].slice(0, SHAPES_PER_OWNER_MAX));
    if (this.#known.size > OWNERS_MAX) for (const oldest of this.#known.keys()) return void this.#known.delete(oldest);
  }

  #keptOf(object: JsonObject): JsonObject {
    return this.#reset === undefined ? object : setFields(object, { [this.#reset]: undefined });
  }

  /** What is taken away may say anything, but an object with a part that does not fit its type is not tracked at all. */
  #isResetFit(object: JsonObject): boolean {
    const part = this.#reset === undefined ? undefined : ownValue(object, this.#reset);
    if (this.#reset === undefined || part === undefined) return true;
    return typeFaults(this.#type, { [this.#reset]: part }, { allowsDuplicates: true }).length === 0;
  }
}

function ownerOf(object: JsonObject): string {
  const [owner] = listAt(metaOf(object), "ownerReferences");
  return isJsonObject(owner) ? textAt(owner, "uid") : "";
}

/** True if two values name the same fields, against the same beginning. */
function isAlike(type: FieldType, known: Json, value: Json, nothing: Json | undefined): boolean {
  if (known === value) return true;
  if (typeof value !== "object" || typeof known !== "object") return isAlikeLeaf(known, value, nothing);
  const shape = shapeOf(type, value);
  if (shape !== shapeOf(type, known)) return false;
  if (shape === "map") {
    const [left, right] = [openMap(type.map, known), openMap(type.map, value)];
    if (left !== undefined && right !== undefined) return isAlikeMap(type.map, left, right, nothing);
    return left === right && isAlikeLeaf(known, value, nothing);
  }
  const [left, right] = [openList(type.list, known), openList(type.list, value)];
  if (left !== undefined && right !== undefined) return isAlikeList(type.list, left, right);
  return left === right && isAlikeLeaf(known, value, nothing);
}

/** Leaves are alike whatever they say, unless only one of them says what was there in the beginning. */
function isAlikeLeaf(known: Json, value: Json, nothing: Json | undefined): boolean {
  if (typeof known !== typeof value || (known === null) !== (value === null)) return false;
  return nothing === undefined || isSameJson(known, nothing) === isSameJson(value, nothing);
}

function isAlikeMap(type: MapType, known: JsonObject, map: JsonObject, nothing: Json | undefined): boolean {
  let missing = sizeOf(known);
  for (const key in map) {
    const before = ownValue(known, key);
    const valueType = type.fields.get(key)?.type ?? type.others;
    if (before === undefined || valueType === undefined) return false;
    const zero = isJsonObject(nothing) ? ownValue(nothing, key) : undefined;
    if (!isAlike(valueType, before, map[key] ?? null, zero)) return false;
    missing -= 1;
  }
  return missing === 0;
}

function isAlikeList(type: ListType, known: JsonList, list: JsonList): boolean {
  if (known.length !== list.length) return false;
  for (let index = 0; index < list.length; index++)
    if (!isAlikeItem(type, known[index] ?? null, list[index] ?? null)) return false;
  return true;
}

/** Items of the same place are alike if they have the same keys, or, in a set, are the same. */
function isAlikeItem({ keys, items }: ListType, known: Json, value: Json): boolean {
  if (keys.length === 0) return known === value;
  if (!isJsonObject(known) || !isJsonObject(value)) return false;
  const isSameElement = keys.every(({ name }) => isSameJson(ownValue(known, name), ownValue(value, name)));
  return isSameElement && isAlike(items, known, value, undefined);
}

// What servers work out from kinds once and read ever after: owners' types, merge schemas, compiled definitions. It belongs to the
// kinds, not to a server, because a process that runs thousands of short-lived servers would do nothing else.
import type { JsonObject } from "../../src/core/json/json.ts";
import { nameOf } from "./api-object.ts";
import { customTypes, withDefinitionRules } from "./custom-resources/custom-resource-type.ts";
import { definitionFaults } from "./custom-resources/definition-faults.ts";
import type { FieldError } from "./faults/field-error.ts";
import { TrackedOwnership } from "./field-ownership/tracked-ownership.ts";
import { StrategicPatches } from "./patch/strategic-patch.ts";
import type { ResourceType } from "./resource-type.ts";
import { isSameJson } from "./same-json.ts";

/** As many definitions as a cluster of ours has, several times over. */
const DEFINITIONS_MAX = 64;

type Known = {
  readonly spec: JsonObject[string] | undefined;
  readonly faults: readonly FieldError[];
  types: readonly ResourceType[] | undefined;
};

/** Answers depend on what is asked only, so it does not matter which servers share it. */
export class KindMemory {
  readonly ownership = new TrackedOwnership();
  readonly strategic = new StrategicPatches();
  readonly #definitions = new Map<string, Known>();
  readonly #complete = new WeakMap<readonly ResourceType[], readonly ResourceType[]>();

  /** Kinds with the rules that concern what they define, the same each time. */
  withRules(kinds: readonly ResourceType[]): readonly ResourceType[] {
    const known = this.#complete.get(kinds);
    if (known !== undefined) return known;
    const complete = kinds.map((type) => withDefinitionRules(type, (definition) => this.faultsOf(definition)));
    this.#complete.set(kinds, complete);
    return complete;
  }

  /** Everything that is wrong with a definition but its metadata. */
  faultsOf(definition: JsonObject): readonly FieldError[] {
    return this.#known(definition).faults;
  }

  /** All versions of a definition, in its order, served or not. */
  typesOf(definition: JsonObject): readonly ResourceType[] {
    const known = this.#known(definition);
    known.types ??= customTypes(definition);
    return known.types;
  }

  #known(definition: JsonObject): Known {
    const name = nameOf(definition);
    const there = this.#definitions.get(name);
    if (there !== undefined && isSameJson(there.spec, definition.spec)) return there;
    const known = { spec: definition.spec, faults: definitionFaults(definition), types: undefined };
    this.#definitions.delete(name);
    this.#definitions.set(name, known);
    const [oldest] = this.#definitions.keys();
    if (this.#definitions.size > DEFINITIONS_MAX && oldest !== undefined) this.#definitions.delete(oldest);
    return known;
  }
}

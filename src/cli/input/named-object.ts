// Objects of ours as a person names them: `agent`, `daemonset/agent`, `storage/agent`, `daemonset/storage/agent`.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { CommandError } from "../command-error.ts";
import { kindOf } from "./source.ts";

/** An object together with its kind. */
export type KnownObject = { readonly kind: Kind; readonly stored: StoredObject };

export type Wish = {
  readonly kind?: Kind | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
};

/** Objects that a message names where a name fits none or several. */
const NAMES_SHOWN_MAX = 5;

/** All objects of these kinds, by kind, namespace and name. */
export function knownObjects(objects: readonly JsonObject[], kinds: readonly Kind[]): readonly KnownObject[] {
  const known = objects.flatMap((object): readonly KnownObject[] => {
    const kind = kindOf(object, kinds);
    return kind === undefined ? [] : [{ kind, stored: { ...objectIdentity(object), object } }];
  });
  return known.toSorted((a, b) => compareText(sortKey(a, kinds), sortKey(b, kinds)));
}

/** Reads what a person wrote; `namespace` is what an option says. Throws for what names no object. */
export function parseWish(text: string | undefined, namespace: string | undefined, kinds: readonly Kind[]): Wish {
  if (text === undefined) return { namespace };
  const parts = text.split("/");
  const [first = "", ...rest] = parts;
  const name = parts.at(-1);
  const kind = rest.length === 0 ? undefined : kindCalled(first, kinds);
  const middle = rest.length === 2 ? rest[0] : kind === undefined && rest.length === 1 ? first : undefined;
  if (parts.length > 3 || parts.includes("") || (rest.length === 2 && kind === undefined)) {
    const names = kinds.map((each) => each.kind.toLowerCase()).join(", ");
    throw new CommandError(`"${text}" names no object; give kind/namespace/name, with ${names} as the kind`);
  }
  if (middle !== undefined && namespace !== undefined && middle !== namespace)
    throw new CommandError(`"${text}" is in namespace "${middle}", and --namespace says "${namespace}"; leave one out`);
  return { kind, namespace: middle ?? namespace, name };
}

/** The objects that are meant. */
export function wished(known: readonly KnownObject[], { kind, namespace, name }: Wish): readonly KnownObject[] {
  return known.filter(
    ({ kind: its, stored }) =>
      (kind === undefined || its === kind) &&
      (namespace === undefined || stored.namespace === namespace) &&
      (name === undefined || stored.name === name),
  );
}

/** The one object that is meant; throws where there is none, or more than one. */
export function oneWished(known: readonly KnownObject[], wish: Wish, text: string, origin: string): KnownObject {
  const found = wished(known, wish);
  const [only] = found;
  if (found.length > 1) throw new CommandError(`"${text}" fits ${namesOf(found)}; name one of them`);
  if (only !== undefined) return only;
  const others = known.length === 0 ? "there is no object of ours" : `there is ${namesOf(known)}`;
  throw new CommandError(`"${text}" is not in ${origin}; ${others}`);
}

/** `daemonset/storage/agent`: what every command takes for the object. */
export function objectText({ kind, stored }: KnownObject): string {
  return `${kind.kind.toLowerCase()}/${stored.namespace}/${stored.name}`;
}

function namesOf(known: readonly KnownObject[]): string {
  const shown = known.slice(0, NAMES_SHOWN_MAX).map(objectText).join(", ");
  return known.length > NAMES_SHOWN_MAX ? `${shown}, …` : shown;
}

/** As kubectl has it: the kind, its plural, either with its group. */
function kindCalled(text: string, kinds: readonly Kind[]): Kind | undefined {
  const word = text.toLowerCase();
  return kinds.find(({ kind, plural, group }) =>
    [kind.toLowerCase(), plural].some((each) => word === each || word === `${each}.${group}`),
  );
}

function sortKey({ kind, stored }: KnownObject, kinds: readonly Kind[]): string {
  return `${kinds.indexOf(kind)} ${stored.namespace} ${stored.name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Draws operations on many objects at once: lists with selectors and pages, reads of a part, and deletes by selector.
import type { Chance } from "../field-ownership/random-objects.ts";
import { collectionOf, type Key, type Operation, pathIn } from "./operation.ts";
import type { Subject } from "./subject.ts";

const selectors = [
  "labelSelector=a",
  "labelSelector=a%3D1",
  "labelSelector=a+in+(1,2),!b",
  "labelSelector=a!%3D1",
  "labelSelector=%3D%3D",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=spec.odd%3Da",
] as const;

/** A read of one object or of many. */
export function drawRead(chance: Chance, key: Key): Operation {
  const query = chance.one<readonly string[]>([
    [],
    [],
    [chance.one(selectors)],
    ["limit=1"],
    ["limit=2", chance.one(selectors)],
  ]);
  const kind = chance.one(["list", "list", "list", "next page", "get", "scale"]);
  return {
    says: kind,
    keys: [],
    call: (view) => {
      const collection = collectionOf(key.subject, view.namespace);
      if (kind === "get") return { method: "GET", path: pathIn(key, view.namespace) };
      if (kind === "scale") return { method: "GET", path: pathIn(key, view.namespace, "scale") };
      // Objects without a namespace are listed by the episode's own names only.
      if (key.subject.isClusterWide) return undefined;
      if (kind === "list") return { method: "GET", path: `${collection}?${query.join("&")}` };
      return view.position() === ""
        ? undefined
        : { method: "GET", path: `${collection}?limit=1&continue=${view.position()}` };
    },
  };
}

/** Objects without a namespace are left alone, other episodes have some too; and pods need the account of theirs. */
export function removeMany(chance: Chance, subject: Subject, keys: readonly Key[]): Operation {
  const selector = chance.one(selectors);
  return {
    says: `delete ${selector}`,
    keys: keys.filter((key) => key.subject === subject),
    call: ({ namespace }) =>
      subject.isClusterWide || subject.kind === "ServiceAccount"
        ? undefined
        : { method: "DELETE", path: `${collectionOf(subject, namespace)}?${selector}` },
  };
}

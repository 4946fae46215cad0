// A ledger beside a cache that a test moves by hand.
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { LEDGER_LIMITS, Ledger, withWrites } from "../../src/controllers/ledger.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { type ObjectIdentity, objectIdentity } from "../../src/core/object-identity.ts";

/** For whom everything is written. */
export const TOY = "toys ns/t";
/** Where everything is written. */
export const place = {
  ...{ resource: "pods", key: "ns/a", onBehalfOf: TOY },
  target: { apiVersion: "v1", kind: "Pod", namespace: "ns", name: "a" },
};
/** The object there, in one of its states. */
export const anObject = (uid: string, version: number, more: JsonObject = {}): JsonObject => ({
  metadata: { name: "a", namespace: "ns", uid, resourceVersion: String(version), ...more },
});

/** A cache moved by hand, and the ledger beside it. */
export function aBook(limits = LEDGER_LIMITS) {
  const clock = new VirtualClock();
  const cache = { version: 1, objects: new Map<string, ObjectIdentity>() };
  const ledger = new Ledger({
    ...{ clock, limits },
    versionOf: () => String(cache.version),
    sightOf: (_resource, key) => cache.objects.get(key),
  });
  return {
    ...{ clock, ledger },
    show: (key: string, version: number, object: JsonObject | undefined) => {
      cache.version = version;
      if (object === undefined) cache.objects.delete(key);
      else cache.objects.set(key, objectIdentity(object));
      ledger.shown("pods", key, cache.objects.get(key));
    },
    reach: (version: number) => {
      cache.version = version;
    },
    seen: (key = "ns/a") => withWrites(cache.objects.get(key), ledger.at("pods", key), objectIdentity),
  };
}

// A ledger beside a cache that a test moves by hand.

import { LEDGER_LIMITS, Ledger, withWrites } from "../../../src/controllers/view/ledger.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type DaemonPod, parseDaemonPod } from "../../../src/core/pod/daemon-pod.ts";
import { VirtualClock } from "../../virtual-clock.ts";

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

/** The object there, as a pod that is ready. */
export const aReadyPod = (uid: string, version: number): JsonObject => ({
  ...anObject(uid, version),
  status: { conditions: [{ type: "Ready", status: "True" }] },
});

/** A cache moved by hand, and the ledger beside it. */
export function aBook(limits = LEDGER_LIMITS) {
  const clock = new VirtualClock();
  const cache = { version: 1, objects: new Map<string, DaemonPod>() };
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
      else cache.objects.set(key, parseDaemonPod(object));
      ledger.shown("pods", key, cache.objects.get(key));
    },
    reach: (version: number) => {
      cache.version = version;
    },
    seen: (key = "ns/a") => withWrites(cache.objects.get(key), ledger.at("pods", key), parseDaemonPod),
  };
}

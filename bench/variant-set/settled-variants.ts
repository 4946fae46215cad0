// A VariantSet that has nothing to do in a large fleet of twelve variants.
import type { JsonObject } from "../../src/core/json/json.ts";
import { KEY_LABEL } from "../../src/kinds/variant-set/render.ts";
import { aNodeObject, aSetObject, PaperSet } from "../../src/kinds/variant-set/testing/paper-set.ts";
import { type SettledFleet, settledFleet } from "../core/settled-fleet.ts";

const VARIANTS = 12;
const LABEL = "variant.farrier.dev/storage.agent";

/** The set in a fleet of so many nodes. */
export function settledVariants(count: number): SettledFleet {
  const variants = Array.from({ length: VARIANTS }, (_, at) => ({
    ...{ name: `line-${at}`, match: { kernel: `5.${at}.x` }, images: { agent: `registry.example.com/agent:5.${at}` } },
  }));
  const few = Array.from({ length: VARIANTS }, (_, at) => aNodeObject(`seed-${at}`, { kernel: kernelAt(at) }));
  const paper = new PaperSet(few, aSetObject({ variants })).settle();
  const { kind, cluster, nowMs, stored } = paper;
  return settledFleet(
    {
      ...{ kind, cluster, nowMs, stored },
      isBound: (node, { labels }) => node.labels[LABEL] === labels[KEY_LABEL],
    },
    {
      count,
      nodeAt: (place) => boundNode(place, kernelAt(place), `line-${place % VARIANTS}`),
      rebooted: Array.from({ length: VARIANTS - 1 }, (_, at) => boundNode(0, kernelAt(at + 1), "line-0")),
    },
  );
}

function kernelAt(at: number): string {
  return `5.${at % VARIANTS}.0-${40 + (at % 3)}-generic`;
}

function boundNode(place: number, kernel: string, key: string): JsonObject {
  return aNodeObject(`node-${String(place).padStart(5, "0")}`, { kernel, labels: { [LABEL]: key } });
}

import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { aTemplate } from "../../testing/kind-case.ts";
import { coversMatch } from "./match-cover.ts";
import { parseVariantSet } from "./parse.ts";
import type { VariantMatch } from "./spec.ts";

function matchOf(match: JsonObject): VariantMatch {
  const parsed = parseVariantSet({ metadata: {}, spec: { template: aTemplate(), variants: [{ name: "a", match }] } });
  const variant = parsed.ok ? parsed.value.variants[0] : undefined;
  if (variant === undefined) throw new Error(JSON.stringify(parsed));
  return variant.match;
}

const nvme = { matchLabels: { disk: "nvme" } };
const nvmeGpu = { matchLabels: { disk: "nvme", gpu: "yes" } };

test.each<[JsonObject, JsonObject, boolean]>([
  [{ kernel: ">=5.4" }, { kernel: "6.x" }, true],
  [{ kernel: ">=5.4" }, { kernel: "5.x" }, false],
  [{ kernel: ">=5.4" }, { arch: "amd64" }, false],
  [{ kernel: "5.x" }, { kernel: "5.x", arch: "amd64" }, true],
  [{ arch: "amd64" }, { arch: "amd64", kernel: "5.x" }, true],
  [{ arch: "amd64" }, { arch: "arm64" }, false],
  [{ arch: "amd64" }, { kernel: "5.x" }, false],
  [{ runtime: "containerd" }, { runtime: "cri-o" }, false],
  [{ osImage: "SUSE" }, { osImage: "SUSE", kernel: "5.x" }, true],
  [{ osImage: "SUSE" }, { osImage: "SUSE Linux" }, false],
  [{ os: { id: "sles" } }, { os: { id: "sles", version: "15.3" } }, true],
  [{ os: { id: "sles", version: "15" } }, { os: { id: "sles", version: "15.3" } }, true],
  [{ os: { id: "sles", version: "15.3" } }, { os: { id: "sles", version: "15" } }, false],
  [{ os: { id: "sles", version: "15.3" } }, { os: { id: "sles" } }, false],
  [{ os: { id: "sles" } }, { os: { id: "ubuntu" } }, false],
  [{ labels: nvme }, { labels: nvmeGpu }, true],
  [{ labels: nvmeGpu }, { labels: nvme }, false],
  [{ labels: nvme }, { kernel: "5.x" }, false],
  [{ labels: {} }, { kernel: "5.x" }, true],
  [{ os: {} }, { kernel: "5.x" }, true],
])("%j covers %j: %s", (earlier, later, covers) => {
  expect(coversMatch(matchOf(earlier), matchOf(later))).toBe(covers);
});

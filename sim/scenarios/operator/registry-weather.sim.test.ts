// The operator's probes and a registry that has its moods: what is known of an image becomes right again after each of them, and who
// believes its first answer for ever is found.
import { expect, test } from "vitest";
import { onBehalfOf } from "../../../src/controllers/perform/on-behalf.ts";
import { IMAGE_LIMITS, type ImageLimits, ImageProbes } from "../../../src/controllers/registry/probe-images.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import { registryFaults } from "../../simulator/faults/registry-faults.ts";
import { WeatheredRegistry } from "../../simulator/network/weathered-registry.ts";
import { aWorld, struck } from "../../simulator/testing/fault-fixture.ts";
import { toyKind } from "./toy-kind.ts";

const image = "registry.example.dev/driver:v1";
const behalf = onBehalfOf(toyKind, { namespace: "default", name: "a" }, { object: undefined, program: "toymaker" });
/** Short terms: a registry's mood lasts for seconds here. */
const limits: ImageLimits = { ...IMAGE_LIMITS, presentMs: 20_000, missingMs: 5_000, unreachableMs: 5_000 };
const MOOD_MS = 24_000;
const LATER_MS = 90_000;

/** What a prober with these limits knows during a mood and long after it, beside what is so then. */
async function known(fault: string, probing: ImageLimits) {
  // The longest of the times, however many draws come before.
  const world = aWorld({ [fault]: [6, 6] });
  const registry = new WeatheredRegistry(world.clock);
  const { log } = logToList();
  const images = new ImageProbes({
    ...{ clock: world.clock, rand: world.decisions.rand("prober"), log },
    ...{ registry: registry.asTransport, limits: probing },
  });
  images.prober(world.client("prober")).start();
  images.ask([{ image, pullSecrets: [], was: { is: "unasked" } }], behalf);
  await world.clock.elapse(1_000);
  const before = images.state(image);
  const strike = registryFaults(() => registry).find(({ name }) => name === fault);
  if (strike === undefined) throw new Error(`there is no fault "${fault}"`);
  await struck(world, strike);
  await world.clock.elapse(MOOD_MS + 20_000);
  const meanwhile = images.state(image);
  await world.clock.elapse(LATER_MS);
  return { before, meanwhile, after: images.state(image), digest: registry.digestOf(image) };
}

test.each([
  "registry-loses-image",
  "registry-moves-tag",
  "registry-denies",
  "registry-unreachable",
  "registry-slow",
  "registry-flaps",
])("after %s the image is known as it is", async (fault) => {
  const { before, after, digest } = await known(fault, limits);
  expect(before).toMatchObject({ is: "present" });
  expect(after).toMatchObject({ is: "present", digest });
});

test("a tag that has moved is believed for as long as an answer is, and who never asks again is found", async () => {
  const never = { ...limits, presentMs: 100 * IMAGE_LIMITS.presentMs };
  const [real, careless] = [await known("registry-moves-tag", limits), await known("registry-moves-tag", never)];
  expect(real.after).toMatchObject({ digest: real.digest });
  expect(careless.after).not.toMatchObject({ digest: careless.digest });
});

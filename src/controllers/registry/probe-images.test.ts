import { expect, test } from "vitest";
import { toyKind } from "../../../sim/scenarios/operator/toy-kind.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { RegistryAnswer } from "../../runtime/http/registry-transport.ts";
import { logToList } from "../../runtime/log/testing/log-to-list.ts";
import { onBehalfOf } from "../perform/on-behalf.ts";
import { IMAGE_LIMITS, ImageProbes } from "./probe-images.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;
const MOVED = `sha256:${"cd".repeat(32)}`;
const image = "registry.example.dev/driver:v1";
const question = { image, pullSecrets: ["pull"], was: { is: "unasked" } } as const;
const behalf = (name: string) =>
  onBehalfOf(toyKind, { namespace: "ns", name }, { object: undefined, program: "toymaker" });

/** A registry with these images, a prober at work, and the keys of objects that were woken. */
function aWorld() {
  const clock = new VirtualClock();
  const there = new Set<string>();
  const counts = { asked: 0, most: 0, now: 0, digest: DIGEST };
  const ports = { clock, rand: seededRand(1), log: logToList().log };
  const images = new ImageProbes({
    ...ports,
    registry: {
      request: async ({ url }): Promise<RegistryAnswer> => {
        counts.asked += 1;
        counts.now += 1;
        counts.most = Math.max(counts.most, counts.now);
        await new Promise<void>((resolve) => void clock.after(100, resolve));
        counts.now -= 1;
        const isThere = [...there].some((name) => url.endsWith(name));
        return {
          status: isThere ? 200 : 404,
          headers: { "docker-content-digest": counts.digest },
          body: new Uint8Array(),
        };
      },
    },
  });
  const woken: string[] = [];
  images.answersFor(toyKind).start((key) => void woken.push(key));
  const nobody = {
    request: () => new Promise<never>(() => undefined),
    stream: () => new Promise<never>(() => undefined),
  };
  const client = createClient({ ...ports, transport: nobody, fieldManager: "test" });
  images.prober(client).start();
  return { images, clock, there, counts, woken };
}

test("an image is asked for once, whoever wants to know, and all of them are woken by the answer", async () => {
  const { images, clock, counts, woken } = aWorld();
  images.ask([question], behalf("a"));
  images.ask([question], behalf("b"));
  await clock.elapse(1_000);
  expect([images.state(image).is, counts.asked, woken]).toEqual(["missing", 1, ["ns/a", "ns/b"]]);
});

test("a missing image is looked for again and found when it is there; nobody is woken for the same answer", async () => {
  const { images, clock, there, woken } = aWorld();
  images.ask([question], behalf("a"));
  await clock.elapse(IMAGE_LIMITS.missingMs * 3);
  expect(woken).toEqual(["ns/a"]);
  there.add("driver/manifests/v1");
  await clock.elapse(IMAGE_LIMITS.missingMs * 1.5);
  expect([images.state(image), woken]).toEqual([
    { is: "present", digest: DIGEST, askedMs: expect.any(Number) },
    ["ns/a", "ns/a"],
  ]);
});

test("an image that is there is looked up again after a while, and who asked is woken when its tag has moved", async () => {
  const { images, clock, there, counts, woken } = aWorld();
  there.add("driver/manifests/v1");
  images.ask([question], behalf("a"));
  await clock.elapse(IMAGE_LIMITS.presentMs * 3);
  expect([counts.asked >= 2, woken]).toEqual([true, ["ns/a"]]);
  counts.digest = MOVED;
  await clock.elapse(IMAGE_LIMITS.presentMs * 1.25);
  expect([images.state(image), woken]).toEqual([
    { is: "present", digest: MOVED, askedMs: expect.any(Number) },
    ["ns/a", "ns/a"],
  ]);
});

test("what nobody wants to know any more is forgotten and not asked for", async () => {
  const { images, clock, counts } = aWorld();
  images.ask([question], behalf("a"));
  await clock.elapse(1_000);
  images.ask([], behalf("a"));
  await clock.elapse(IMAGE_LIMITS.missingMs * 10);
  expect([images.state(image).is, counts.asked]).toEqual(["unasked", 1]);
});

test("only so many are asked for at once", async () => {
  const { images, clock, counts } = aWorld();
  images.ask(
    Array.from({ length: 100 }, (_, index) => ({ ...question, image: `registry.example.dev/driver:v${index}` })),
    behalf("a"),
  );
  await clock.elapse(5_000);
  expect([counts.asked, counts.most]).toEqual([100, IMAGE_LIMITS.inFlightMax]);
});

test("who knows of a push has the registry asked at once, and once; before that instant nobody does", async () => {
  const { images, clock, there, counts } = aWorld();
  images.ask([question], behalf("a"));
  await clock.elapse(1_000);
  there.add("driver/manifests/v1");
  const pushed = { ...question, newerThanMs: clock.wallMs() + 500 };
  images.ask([pushed], behalf("a"));
  await clock.elapse(499);
  expect([images.state(image).is, counts.asked]).toEqual(["missing", 1]);
  await clock.elapse(1);
  images.ask([pushed], behalf("a"));
  await clock.elapse(1_000);
  images.ask([pushed], behalf("a"));
  await clock.elapse(1_000);
  expect([images.state(image).is, counts.asked]).toEqual(["present", 2]);
});

test("credentials that we may not read are told apart from a registry that does not answer", async () => {
  const clock = new VirtualClock();
  const ports = { clock, rand: seededRand(1), log: logToList().log };
  const challenge = { "www-authenticate": "Basic" };
  const images = new ImageProbes({
    ...ports,
    registry: { request: async () => ({ status: 401, headers: challenge, body: new Uint8Array() }) },
  });
  const body = new TextEncoder().encode(JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden" }));
  const headers = { "content-type": "application/json" };
  const transport = {
    request: async () => ({ status: 403, headers, body }),
    stream: () => new Promise<never>(() => undefined),
  };
  images.prober(createClient({ ...ports, transport, fieldManager: "test" })).start();
  images.ask([question], behalf("a"));
  await clock.elapse(1_000);
  const because = "registry.example.dev: it wants credentials, and reading Secret ns/pull is forbidden to us";
  expect(images.state(image)).toMatchObject({ is: "unreachable", isWithheld: true, because });
});

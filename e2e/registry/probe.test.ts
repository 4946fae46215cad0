// What a real registry answers to our questions: without a password, with one, with tokens, and over TLS.
import { afterAll, beforeAll, expect, test } from "vitest";
import { probeImage } from "../../src/controllers/registry/probe-image.ts";
import type { ImageQuestion } from "../../src/kinds/kind.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { createNodeRegistry, type NodeRegistryOptions } from "../../src/runtime/node/node-registry.ts";
import * as fixture from "../../src/runtime/node/testing/tls-fixture.ts";
import { pushImage } from "./push-image.ts";
import { describeWithRegistry } from "./registry-program.ts";
import { type RunningRegistry, startRegistry } from "./start-registry.ts";
import { BASIC, startTokenServer, type TokenServer, tokenFor } from "./token-server.ts";

const plain = { isPlain: true, skipsVerification: false };
const WRONG = `Basic ${Buffer.from("puller:wrong").toString("base64")}`;

type Asking = {
  readonly tls?: ImageQuestion["tls"];
  readonly password?: string;
  readonly trusted?: readonly string[];
  readonly binding?: NodeRegistryOptions;
};

/** Asks as the operator does; the registry of a test is on this machine, which a site would have to allow. */
function ask(image: string, { tls = plain, password, trusted = [], binding = {} }: Asking = {}) {
  const question: ImageQuestion = { image, pullSecrets: ["pull"], was: { is: "unasked" }, tls };
  return probeImage(question, {
    registry: createNodeRegistry({ allowedNetworks: ["127.0.0.1/32"], ...binding }),
    clock: nodeClock(),
    credentialsFor: async () => password,
    trustedHostsOf: () => trusted,
    signal: new AbortController().signal,
  });
}

describeWithRegistry("a registry that asks for nothing", (build) => {
  let registry: RunningRegistry;
  let digest: string;
  beforeAll(async () => {
    registry = await startRegistry({ program: await build() });
    digest = await pushImage({ origin: registry.origin, repository: "team/driver", tag: "v1" });
  });
  afterAll(() => registry?.stop());

  test("has the image by its tag and by its digest, and says which it is", async () => {
    expect(await ask(`${registry.host}/team/driver:v1`)).toEqual({ is: "present", digest });
    expect(await ask(`${registry.host}/team/driver@${digest}`)).toEqual({ is: "present", digest });
  });

  test("does not have another tag, another digest or another repository", async () => {
    const missing = { is: "missing" };
    expect(await ask(`${registry.host}/team/driver:v2`)).toEqual(missing);
    expect(await ask(`${registry.host}/team/driver@sha256:${"0".repeat(64)}`)).toEqual(missing);
    expect(await ask(`${registry.host}/team/other:v1`)).toEqual(missing);
  });

  test("tells of a tag that was moved and of an image that was deleted", async () => {
    const push = { origin: registry.origin, repository: "team/moving", tag: "v1" };
    await pushImage(push);
    const second = await pushImage({ ...push, content: "second" });
    expect(await ask(`${registry.host}/team/moving:v1`)).toEqual({ is: "present", digest: second });
    await fetch(`${registry.origin}/v2/team/moving/manifests/${second}`, { method: "DELETE" });
    expect(await ask(`${registry.host}/team/moving:v1`)).toEqual({ is: "missing" });
  });

  test("is not asked where the site has not allowed this machine", async () => {
    const refused = await ask(`${registry.host}/team/driver:v1`, { binding: { allowedNetworks: [] } });
    expect(refused).toMatchObject({ is: "unreachable", because: expect.stringContaining("no registry may be asked") });
  });

  test("that is plain is not taken for one with TLS", async () => {
    const tls = { isPlain: false, skipsVerification: false };
    expect(await ask(`${registry.host}/team/driver:v1`, { tls })).toMatchObject({ is: "unreachable" });
  });
});

describeWithRegistry("a registry that asks for a password", (build) => {
  let registry: RunningRegistry;
  let image: string;
  beforeAll(async () => {
    registry = await startRegistry({ program: await build(), asks: "password" });
    image = `${registry.host}/team/driver:v1`;
    await pushImage({ origin: registry.origin, repository: "team/driver", tag: "v1", authorization: BASIC });
  });
  afterAll(() => registry?.stop());

  test("answers who has it, also that an image is missing", async () => {
    expect(await ask(image, { password: BASIC })).toMatchObject({ is: "present" });
    expect(await ask(`${registry.host}/team/driver:v2`, { password: BASIC })).toEqual({ is: "missing" });
  });

  test("answers nobody else, and that is not taken for a missing image", async () => {
    const unreachable = { is: "unreachable", because: expect.stringContaining("401; check the pull secret") };
    expect(await ask(image)).toMatchObject(unreachable);
    expect(await ask(image, { password: WRONG })).toMatchObject(unreachable);
  });
});

describeWithRegistry("a registry that asks for a token", (build) => {
  let registry: RunningRegistry;
  let tokens: TokenServer;
  let image: string;
  beforeAll(async () => {
    tokens = await startTokenServer();
    registry = await startRegistry({ program: await build(), asks: { realm: tokens.realm } });
    image = `${registry.host}/team/driver:v1`;
    const authorization = `Bearer ${tokenFor("repository:team/driver:pull,push")}`;
    await pushImage({ origin: registry.origin, repository: "team/driver", tag: "v1", authorization });
  });
  afterAll(async () => {
    tokens?.close();
    await registry?.stop();
  });

  test("gets one from the realm that the site trusts, asked for with the password", async () => {
    expect(await ask(image, { password: BASIC, trusted: [tokens.host] })).toMatchObject({ is: "present" });
    expect(tokens.asked.at(-1)).toBe("repository:team/driver:pull puller");
  });

  test("is not followed to a realm that nobody trusts: no password leaves", async () => {
    const before = tokens.asked.length;
    expect(await ask(image, { password: BASIC })).toMatchObject({
      ...{ is: "unreachable", because: expect.stringContaining("is not of its domain") },
    });
    expect(tokens.asked).toHaveLength(before);
  });

  test("a password that the realm refuses is named as the trouble", async () => {
    expect(await ask(image, { password: WRONG, trusted: [tokens.host] })).toMatchObject({
      ...{ is: "unreachable", because: expect.stringContaining("gives no token: 401; check the pull secret") },
    });
  });
});

describeWithRegistry("a registry with TLS", (build) => {
  let registry: RunningRegistry;
  let image: string;
  const secure = { isPlain: false, skipsVerification: false };
  beforeAll(async () => {
    registry = await startRegistry({ program: await build(), isSecure: true });
    image = `${registry.host}/team/driver:v1`;
  });
  afterAll(() => registry?.stop());

  test("is believed when its authority is known, or when the Module says that any certificate will do", async () => {
    const known = { binding: { allowedNetworks: ["127.0.0.1/32"], authorities: fixture.authority } };
    expect(await ask(image, { tls: secure, ...known })).toEqual({ is: "missing" });
    expect(await ask(image, { tls: { isPlain: false, skipsVerification: true } })).toEqual({ is: "missing" });
  });

  test("is not believed otherwise", async () => {
    expect(await ask(image, { tls: secure })).toMatchObject({
      ...{ is: "unreachable", because: expect.stringContaining("signed by nobody that we trust") },
    });
  });
});

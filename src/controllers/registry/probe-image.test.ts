// Against a model of a registry that is as strict as real ones, and watches where credentials go.
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import type { RegistryAnswer, RegistryRequest } from "../../runtime/http/registry-transport.ts";
import { PROBE_LIMITS, probeImage } from "./probe-image.ts";
import { parseChallenge, realmFault } from "./registry-challenge.ts";
import { credentialsIn } from "./registry-credentials.ts";

const DIGEST = `sha256:${"ab".repeat(32)}`;
const answer = (status: number, headers = {}, body = ""): RegistryAnswer => ({
  ...{ status, headers, body: new TextEncoder().encode(body) },
});
const found = answer(200, { "docker-content-digest": DIGEST });
type Serve = (url: URL, request: RegistryRequest) => RegistryAnswer;

async function probe(
  serve: Serve,
  image = "registry.example.dev/team/driver:v1",
  options: { tls?: { isPlain: boolean; skipsVerification: boolean } } = {},
) {
  const requests: RegistryRequest[] = [];
  let secretsRead = 0;
  const finding = await probeImage(
    { image, pullSecrets: ["pull"], was: { is: "unasked" }, ...options },
    {
      ...{ clock: new VirtualClock(), signal: new AbortController().signal },
      registry: {
        request: async (request) => {
          requests.push(request);
          return serve(new URL(request.url), request);
        },
      },
      credentialsFor: async () => {
        secretsRead += 1;
        return "Basic c2VjcmV0";
      },
      trustedHostsOf: (host) => (host === "registry.example.dev" ? ["sso.example.net"] : []),
    },
  );
  return { finding, requests, secretsRead, urls: requests.map(({ method, url }) => `${method} ${url}`) };
}

const bearer = (realm: string) =>
  answer(401, { "www-authenticate": `Bearer realm="${realm}",service="reg",scope="repository:team/driver:pull"` });
const token = answer(200, {}, '{"token":"t0ken"}');
const authorized = ({ headers }: RegistryRequest) => headers.authorization;

describe("answers", () => {
  test("an image that is there has a digest, and no secret is read", async () => {
    const { finding, secretsRead, urls } = await probe(() => found);
    expect([finding, secretsRead]).toEqual([{ is: "present", digest: DIGEST }, 0]);
    expect(urls).toEqual(["HEAD https://registry.example.dev/v2/team/driver/manifests/v1"]);
  });

  test.each([
    ["nginx", "https://registry-1.docker.io/v2/library/nginx/manifests/latest"],
    ["localhost:5000/a/b:1", "https://localhost:5000/v2/a/b/manifests/1"],
    [`quay.io/a/b@${DIGEST}`, `https://quay.io/v2/a/b/manifests/${DIGEST}`],
  ])("%s is asked for at its place", async (image, url) => {
    expect((await probe(() => found, image)).urls).toEqual([`HEAD ${url}`]);
  });

  test("a registry that names no digest is asked for the manifest, whose hash it is", async () => {
    const { finding, urls } = await probe(() => answer(200, {}, "abc"));
    const digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect([finding, urls.map((url) => url.split(" ")[0])]).toEqual([{ is: "present", digest }, ["HEAD", "GET"]]);
  });

  test.each([
    ["no such image", answer(404), "missing", ""],
    ["an overloaded registry", answer(503), "unreachable", "503"],
    ["a digest that is none", answer(200, { "docker-content-digest": "sha256:x" }), "unreachable", "digest"],
    ["forbidden", answer(403), "unreachable", "pull secret"],
    [
      "a way to be asked that we do not know",
      answer(401, { "www-authenticate": "Negotiate" }),
      "unreachable",
      "do not know",
    ],
  ])("%s", async (_, given, is, because) => {
    const { finding } = await probe(() => given);
    expect([finding.is, "because" in finding ? finding.because : ""]).toEqual([is, expect.stringContaining(because)]);
  });

  test("another digest than the one asked for is not believed", async () => {
    const { finding } = await probe(() => found, `registry.example.dev/a@sha256:${"00".repeat(32)}`);
    expect(finding).toMatchObject({ is: "unreachable", because: expect.stringContaining("another digest") });
  });

  test("a reference that is none is never asked for", async () => {
    const { finding, urls } = await probe(() => found, "Not An Image");
    expect([finding.is, urls]).toEqual(["unreachable", []]);
  });

  test("a registry that never answers is given up", async () => {
    const clock = new VirtualClock();
    const finding = probeImage(
      { image: "registry.example.dev/a", pullSecrets: [], was: { is: "unasked" } },
      {
        ...{
          clock,
          signal: new AbortController().signal,
          trustedHostsOf: () => [],
          credentialsFor: async () => undefined,
        },
        registry: { request: () => new Promise(() => undefined) },
      },
    );
    await clock.elapse(PROBE_LIMITS.timeoutMs);
    expect(await finding).toMatchObject({ is: "unreachable", because: expect.stringContaining("no answer within") });
  });
});

describe("credentials", () => {
  test("a token is asked for with the password, and the registry sees the token alone", async () => {
    const { finding, requests } = await probe((url, request) => {
      if (url.pathname === "/token") return token;
      return authorized(request) === "Bearer t0ken" ? found : bearer("https://auth.example.dev/token");
    });
    expect(finding.is).toBe("present");
    expect(requests.map((request) => [new URL(request.url).host, authorized(request)])).toEqual([
      ["registry.example.dev", undefined],
      ["auth.example.dev", "Basic c2VjcmV0"],
      ["registry.example.dev", "Bearer t0ken"],
    ]);
    expect(requests[1]?.url).toContain("scope=repository%3Ateam%2Fdriver%3Apull");
  });

  test("a registry with a password of its own gets it, and only it", async () => {
    const { finding, requests } = await probe((_, request) =>
      authorized(request) === undefined ? answer(401, { "www-authenticate": 'Basic realm="x"' }) : found,
    );
    expect([finding.is, requests.length]).toEqual(["present", 2]);
  });

  test.each([
    ["another domain", "https://evil.example.org/token"],
    ["a host without TLS", "http://registry.example.dev/token"],
    ["an address", "https://10.0.0.1/token"],
    ["the address of a cloud's credentials", "https://169.254.169.254/token"],
    ["another port of its domain", "https://auth.example.dev:8443/token"],
    ["a realm with a user name", "https://a:b@registry.example.dev/token"],
  ])("are not sent to %s", async (_, realm) => {
    const { finding, requests } = await probe(() => bearer(realm));
    expect([finding.is, requests.length]).toEqual(["unreachable", 1]);
  });

  test("a host that the site trusts may give tokens", async () => {
    const { finding } = await probe((url, request) => {
      if (url.host === "sso.example.net") return token;
      return authorized(request) === undefined ? bearer("https://sso.example.net/token") : found;
    });
    expect(finding.is).toBe("present");
  });

  test.each([
    [
      "a realm of its domain that proves its name may be in the site's network",
      "https://auth.example.dev/t",
      false,
      "site",
    ],
    ["one whose certificate is not checked may not", "https://auth.example.dev/t", true, "public"],
    ["its own host may", "https://registry.example.dev/t", true, "site"],
    ["one that the site trusts may", "https://sso.example.net/t", true, "site"],
  ])("%s", async (_, realm, skipsVerification, reach) => {
    const { requests } = await probe(
      (_url, request) => (authorized(request) === undefined ? bearer(realm) : token),
      "registry.example.dev/a:1",
      { tls: { isPlain: false, skipsVerification } },
    );
    expect(requests.find(({ url }) => url.startsWith(realm))?.reach).toBe(reach);
  });

  test("an answer that holds no token is the end", async () => {
    const { finding } = await probe((url) =>
      url.pathname === "/token" ? answer(200, {}, "<html>") : bearer("https://registry.example.dev/token"),
    );
    expect(finding).toMatchObject({ is: "unreachable", because: expect.stringContaining("no token") });
  });

  test("a redirect leads to public addresses and carries none", async () => {
    const { finding, requests } = await probe((url, request) => {
      if (url.host === "cdn.example.org") return found;
      if (authorized(request) === undefined) return answer(401, { "www-authenticate": "Basic" });
      return answer(307, { location: "https://cdn.example.org/blob" });
    });
    expect(finding.is).toBe("present");
    expect(requests.map((request) => [request.reach, authorized(request)])).toEqual([
      ["site", undefined],
      ["site", "Basic c2VjcmV0"],
      ["public", undefined],
    ]);
  });

  test.each([
    ["without TLS", "http://cdn.example.org/"],
    ["in a circle", "https://registry.example.dev/again"],
  ])("a redirect %s is not followed for ever", async (_, location) => {
    const { finding, requests } = await probe(() => answer(302, { location }));
    expect([finding.is, requests.length <= 4]).toEqual(["unreachable", true]);
  });

  test("a plain registry is asked without TLS, because its owner says so", async () => {
    const { requests } = await probe(() => found, "reg.local:5000/a", {
      tls: { isPlain: true, skipsVerification: true },
    });
    expect([requests[0]?.url.startsWith("http://"), requests[0]?.checksCertificate]).toEqual([true, false]);
  });
});

test.each([
  [undefined, "unknown"],
  ["", "unknown"],
  ["x".repeat(10_000), "unknown"],
  ['Bearer service="x"', "unknown"],
  ['Bearer realm="not a url"', "unknown"],
  ['bearer REALM="https://a.dev/t"', "bearer"],
  ["basic", "basic"],
])("the challenge %j is %s", (header, scheme) => {
  expect(parseChallenge(header).scheme).toBe(scheme);
});

test("a plain registry may have a plain realm of its own", () => {
  const rule = { host: "reg:5000", isPlain: true, trustedHosts: [] };
  expect([realmFault("http://reg:5000/t", rule), realmFault("http://other/t", rule) === undefined]).toEqual([
    undefined,
    false,
  ]);
});

describe("a pull secret", () => {
  const secret = (config: unknown) => ({
    data: {
      ".dockerconfigjson": Buffer.from(typeof config === "string" ? config : JSON.stringify(config)).toString("base64"),
    },
  });

  test.each([
    ["the host", { auths: { "r.dev": { auth: "dTpw" } } }, "r.dev", "Basic dTpw"],
    ["a host with a scheme and a path", { auths: { "https://r.dev/v2/": { auth: "dTpw" } } }, "r.dev", "Basic dTpw"],
    [
      "Docker's name of its registry",
      { auths: { "https://index.docker.io/v1/": { auth: "dTpw" } } },
      "registry-1.docker.io",
      "Basic dTpw",
    ],
    ["name and password", { auths: { "r.dev": { username: "ü", password: "p" } } }, "r.dev", "Basic w7w6cA=="],
    ["another host only", { auths: { "other.dev": { auth: "dTpw" } } }, "r.dev", undefined],
    ["what is no base64", { auths: { "r.dev": { auth: "a\nb" } } }, "r.dev", undefined],
    ["what is no JSON", "nonsense", "r.dev", undefined],
    ["a list of nothing", { auths: [] }, "r.dev", undefined],
  ])("with %s", (_, config, host, basic) => {
    expect(credentialsIn(secret(config), host)).toBe(basic);
  });

  test("of whatever shape throws nothing", () => {
    expect([credentialsIn({}, "r.dev"), credentialsIn({ data: { ".dockerconfigjson": "%%%" } }, "r.dev")]).toEqual([
      ...[undefined, undefined],
    ]);
  });
});

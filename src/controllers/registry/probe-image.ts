// Asks one registry for one image, as the distribution API says: the manifest, once more with a token or a password if it wants one.
//
// Guarantees: credentials go to the registry's own host, or to its token realm by the rule of registry-challenge.ts, and nowhere else;
// redirects lead to public addresses over TLS and carry none. Every answer has a limit of size, and the whole has one of time.
import { sha256Hex } from "../../core/hash/content-hash.ts";
import { isJsonObject } from "../../core/json/json.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { type ImageReference, imageLocation, parseImageReference } from "../../core/values/image-reference.ts";
import type { ImageQuestion } from "../../kinds/kind.ts";
import type { Clock } from "../../kube/clock.ts";
import { withinTime } from "../../kube/within-time.ts";
import type { RegistryAnswer, RegistryRequest, RegistryTransport } from "../../runtime/http/registry-transport.ts";
import { type Challenge, parseChallenge, realmFault } from "./registry-challenge.ts";

/** What the registry says of an image. */
export type ImageFinding =
  | { readonly is: "present"; readonly digest: string }
  | { readonly is: "missing" }
  | { readonly is: "unreachable"; readonly because: string; readonly isWithheld?: boolean };

/** Thrown by who reads credentials when that is forbidden. */
export class CredentialsWithheld extends Error {
  override readonly name = "CredentialsWithheld";
}

export type ProbePorts = {
  readonly registry: RegistryTransport;
  readonly clock: Clock;
  /** Reads the credentials for a host from the pull secrets of the question; called only when the registry wants some. */
  readonly credentialsFor: (host: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Hosts elsewhere that the site trusts with the tokens of a registry. */
  readonly trustedHostsOf: (host: string) => readonly string[];
  readonly signal: AbortSignal;
};

export const PROBE_LIMITS = { timeoutMs: 15_000, manifestBytesMax: 4 * 1024 * 1024, tokenBytesMax: 64 * 1024 } as const;

const DOCKER_HUB = { name: "docker.io", host: "registry-1.docker.io" };
const REDIRECTS_MAX = 3;
const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");
const digestForm = /^sha(256:[a-f0-9]{64}|384:[a-f0-9]{96}|512:[a-f0-9]{128})$/;

/** Finds out whether the image is there; whatever goes wrong is a finding, too. */
export async function probeImage(question: ImageQuestion, ports: ProbePorts): Promise<ImageFinding> {
  const parsed = parseImageReference(question.image);
  if (!parsed.ok) return unreachable(parsed.problems.map(({ message }) => message).join("; "));
  const { timeoutMs } = PROBE_LIMITS;
  const place = placeOf(parsed.value, question);
  const late = () => new Error(`no answer within ${timeoutMs} ms`);
  try {
    return await withinTime(ports.clock, { timeoutMs, signal: ports.signal, late }, (signal) =>
      new Probe(place, { ...ports, signal }).run(),
    );
  } catch (error) {
    const because = `${place.host}: ${error instanceof Error ? error.message : String(error)}`;
    return error instanceof CredentialsWithheld
      ? { is: "unreachable", because, isWithheld: true }
      : unreachable(because);
  }
}

type Place = {
  readonly host: string;
  readonly url: string;
  readonly isPlain: boolean;
  readonly checksCertificate: boolean;
  /** The digest that the reference itself names. */
  readonly digest: string | undefined;
};

function placeOf(reference: ImageReference, { tls }: ImageQuestion): Place {
  const { domain, path } = imageLocation(reference);
  const host = domain === DOCKER_HUB.name ? DOCKER_HUB.host : domain;
  const { tag = "latest", digest } = reference;
  const isPlain = tls?.isPlain === true;
  const url = `${isPlain ? "http" : "https"}://${host}/v2/${path}/manifests/${digest ?? tag}`;
  return { host, url, isPlain, checksCertificate: tls?.skipsVerification !== true, digest };
}

class Probe {
  readonly #place: Place;
  readonly #ports: ProbePorts;

  constructor(place: Place, ports: ProbePorts) {
    this.#place = place;
    this.#ports = ports;
  }

  async run(): Promise<ImageFinding> {
    const first = await this.#askManifest("HEAD", undefined);
    if (first.status !== 401) return this.#judge(first, undefined);
    const authorization = await this.#authorize(parseChallenge(first.headers["www-authenticate"]));
    return this.#judge(await this.#askManifest("HEAD", authorization), authorization);
  }

  async #judge(answer: RegistryAnswer, authorization: string | undefined): Promise<ImageFinding> {
    const { host, digest } = this.#place;
    const { status } = answer;
    if (status === 404) return { is: "missing" };
    if (status === 401 || status === 403) return unreachable(`${host} answers ${status}; check the pull secret`);
    if (status !== 200) return unreachable(`${host} answers ${status}`);
    const found = answer.headers["docker-content-digest"] ?? (await this.#digestOfBody(authorization));
    if (!digestForm.test(found)) return unreachable(`${host} answers with a digest that is none`);
    if (digest !== undefined && digest !== found)
      return unreachable(`${host} answers with another digest than asked for`);
    return { is: "present", digest: found };
  }

  /** Registries need not name the digest; it is the hash of the very bytes. */
  async #digestOfBody(authorization: string | undefined): Promise<string> {
    const { status, body } = await this.#askManifest("GET", authorization);
    if (status !== 200) throw new Error(`answers ${status} to GET after 200 to HEAD`);
    return `sha256:${sha256Hex(body)}`;
  }

  async #askManifest(method: RegistryRequest["method"], authorization: string | undefined): Promise<RegistryAnswer> {
    let url = this.#place.url;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const isOwn = new URL(url).host === new URL(this.#place.url).host;
      const secret = isOwn && authorization !== undefined ? { authorization } : {};
      const answer = await this.#send({
        ...{ method, url, headers: { accept: MANIFESTS, ...secret }, reach: isOwn ? "site" : "public" },
        answerBytesMax: PROBE_LIMITS.manifestBytesMax,
      });
      const location = answer.headers.location;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      url = this.#followed(url, location);
    }
    throw new Error(`redirects more than ${REDIRECTS_MAX} times`);
  }

  #followed(from: string, location: string): string {
    if (!URL.canParse(location, from)) throw new Error("redirects to what is no address");
    const to = new URL(location, from);
    const isAllowed = to.protocol === "https:" || (this.#place.isPlain && to.host === this.#place.host);
    if (!isAllowed) throw new Error(`redirects to ${to.origin}, without TLS`);
    return to.href;
  }

  /** The Authorization header that the challenge asks for. */
  async #authorize(challenge: Challenge): Promise<string | undefined> {
    const { host, isPlain } = this.#place;
    const { credentialsFor, signal, trustedHostsOf } = this.#ports;
    if (challenge.scheme === "unknown") throw new Error("wants to be asked in a way that we do not know");
    const basic = await credentialsFor(host, signal);
    if (challenge.scheme === "basic") return basic;
    const fault = realmFault(challenge.realm, { host, isPlain, trustedHosts: trustedHostsOf(host) });
    if (fault !== undefined) throw new Error(fault);
    return `Bearer ${await this.#askToken(challenge, basic)}`;
  }

  async #askToken(challenge: Extract<Challenge, { scheme: "bearer" }>, basic: string | undefined): Promise<string> {
    const url = new URL(challenge.realm);
    for (const name of ["service", "scope"] as const) {
      if (challenge[name] !== "") url.searchParams.set(name, challenge[name]);
    }
    const answer = await this.#send({
      ...{ method: "GET", url: url.href, reach: this.#reachOfRealm(url) },
      headers: basic === undefined ? {} : { authorization: basic },
      answerBytesMax: PROBE_LIMITS.tokenBytesMax,
    });
    if (answer.status !== 200) throw new Error(`${url.host} gives no token: ${answer.status}; check the pull secret`);
    const parsed = parseJson(new TextDecoder().decode(answer.body));
    const fields = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    const token = fields.token ?? fields.access_token;
    if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw new Error(`${url.host} gives no token`);
    return token;
  }

  /** Sites keep their token servers in private networks. One that proves its name is who it says; any other may be a trap. */
  #reachOfRealm({ host, protocol }: URL): RegistryRequest["reach"] {
    const isNamed = host === this.#place.host || this.#ports.trustedHostsOf(this.#place.host).includes(host);
    const isProven = protocol === "https:" && this.#place.checksCertificate;
    return isNamed || isProven ? "site" : "public";
  }

  #send(request: Omit<RegistryRequest, "checksCertificate" | "signal">): Promise<RegistryAnswer> {
    const { checksCertificate } = this.#place;
    const { registry, signal } = this.#ports;
    return registry.request({ ...request, checksCertificate, signal });
  }
}

function unreachable(because: string): ImageFinding {
  return { is: "unreachable", because };
}

// An image registry in a simulated cluster: what it says of an image at a moment, and what stands behind its name. Kubelets pull
// from it; whoever asks as the distribution API says does so through `asTransport`.
import type { Clock } from "../../../src/kube/clock.ts";
import type { RegistryAnswer, RegistryTransport } from "../../../src/runtime/http/registry-transport.ts";
import { imageId } from "../../nodes/pod/pod-status.ts";
import type { Registry } from "../../nodes/registry.ts";

/** "denied" is a registry that wants credentials which nobody has. */
export type ImageWeather = "there" | "missing" | "denied" | "unreachable";

/** A registry that flaps changes its mind this often. */
const FLAP_MS = 700;
/** Images that faults choose from; those that were asked for first. */
const KNOWN_MAX = 100;
/** How long an answer takes, and how long it and a pull take while the registry is slow: longer than a prober waits. */
const ANSWER_MS = 20;
const SLOW_MS = 17_000;
const noBody = new Uint8Array();

export class WeatheredRegistry {
  readonly #clock: Pick<Clock, "monotonicMs" | "after">;
  readonly #asked = new Set<string>();
  readonly #missingUntilMs = new Map<string, number>();
  readonly #moves = new Map<string, number>();
  #unreachableUntilMs = 0;
  #flapsUntilMs = 0;
  #deniedUntilMs = 0;
  #slowUntilMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs" | "after">) {
    this.#clock = clock;
  }

  /** What somebody finds out who asks for an image now. */
  stateOf(image: string): ImageWeather {
    if (this.#asked.size < KNOWN_MAX) this.#asked.add(image);
    const nowMs = this.#clock.monotonicMs();
    const isFlapping = this.#flapsUntilMs > nowMs && Math.floor(nowMs / FLAP_MS) % 2 === 0;
    if (this.#unreachableUntilMs > nowMs || isFlapping) return "unreachable";
    if (this.#deniedUntilMs > nowMs) return "denied";
    return (this.#missingUntilMs.get(image) ?? 0) > nowMs ? "missing" : "there";
  }

  /** What the name of an image stands for now. */
  digestOf(image: string): string {
    const [, digest = ""] = imageId(`${image} ${this.#moves.get(image) ?? 0}`).split("@");
    return digest;
  }

  /** The same for kubelets, to whom an image that cannot be had is missing, whatever the reason. */
  readonly pull: Registry = (image) =>
    this.stateOf(image) === "there" ? { is: "there", pullMs: this.#isSlow ? SLOW_MS : 0 } : { is: "missing" };

  /** The same for whoever asks for manifests. */
  readonly asTransport: RegistryTransport = {
    request: ({ url }) =>
      new Promise((resolve, reject) => {
        this.#clock.after(this.#isSlow ? SLOW_MS : ANSWER_MS, () => {
          const answer = this.#answer(imageAt(url));
          if (answer === undefined) reject(new Error("connection refused"));
          else resolve(answer);
        });
      }),
  };

  /** The images that were asked for. */
  get asked(): readonly string[] {
    return [...this.#asked].sort();
  }

  lose(image: string, forMs: number): void {
    this.#missingUntilMs.set(image, this.#clock.monotonicMs() + forMs);
  }

  /** From now on the name stands for another image. */
  move(image: string): void {
    this.#moves.set(image, (this.#moves.get(image) ?? 0) + 1);
  }

  beUnreachable(forMs: number): void {
    this.#unreachableUntilMs = this.#clock.monotonicMs() + forMs;
  }

  flap(forMs: number): void {
    this.#flapsUntilMs = this.#clock.monotonicMs() + forMs;
  }

  deny(forMs: number): void {
    this.#deniedUntilMs = this.#clock.monotonicMs() + forMs;
  }

  slowDown(forMs: number): void {
    this.#slowUntilMs = this.#clock.monotonicMs() + forMs;
  }

  get #isSlow(): boolean {
    return this.#slowUntilMs > this.#clock.monotonicMs();
  }

  #answer(image: string): RegistryAnswer | undefined {
    switch (this.stateOf(image)) {
      case "unreachable":
        return undefined;
      case "denied":
        return { status: 401, headers: { "www-authenticate": 'Basic realm="registry"' }, body: noBody };
      case "missing":
        return { status: 404, headers: {}, body: noBody };
      case "there":
        return { status: 200, headers: { "docker-content-digest": this.digestOf(image) }, body: noBody };
    }
  }
}

/** `https://host/v2/team/tool/manifests/1` is the manifest of host/team/tool:1. */
function imageAt(url: string): string {
  const { host, pathname } = new URL(url);
  const [, name = "", tag = ""] = /^\/v2\/(.*)\/manifests\/([^/]*)$/.exec(pathname) ?? [];
  return `${host}/${name}:${tag}`;
}

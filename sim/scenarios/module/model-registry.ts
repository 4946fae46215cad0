// A registry as a value: images that were pushed and may be lost again, and the transport of those who ask for them.
import { contentHash } from "../../../src/core/hash/content-hash.ts";
import type { Clock } from "../../../src/kube/clock.ts";
import { pause } from "../../../src/kube/clock.ts";
import type { RegistryTransport } from "../../../src/runtime/http/registry-transport.ts";

const ANSWER_MS = 50;
const DIGEST_CHARS = 64;

export class ModelRegistry {
  readonly #digests = new Map<string, string>();
  readonly #pushes = new Map<string, string>();
  readonly #ever = new Set<string>();

  /** Takes an image in, once for each push. */
  push(image: string, pushId: string): void {
    if (this.#pushes.has(pushId)) return;
    const digest = `sha256:${hexOf(contentHash(pushId))}`;
    this.#pushes.set(pushId, `${image}@${digest}`);
    this.#ever.add(image);
    this.#digests.set(image, digest);
  }

  /** The image with its digest that came with a push; undefined when there was no such push. */
  pushedBy(pushId: string): string | undefined {
    return this.#pushes.get(pushId);
  }

  lose(image: string): void {
    this.#digests.delete(image);
  }

  images(): readonly string[] {
    return [...this.#digests.keys()].sort();
  }

  everHad(image: string): boolean {
    return this.#ever.has(image);
  }

  /** Answers as the distribution API does, after a moment. */
  transport(clock: Clock): RegistryTransport {
    return {
      request: async ({ url, signal }) => {
        await pause(clock, ANSWER_MS, signal);
        const { host, pathname } = new URL(url);
        const [, path = "", tag = ""] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname) ?? [];
        const digest = this.#digests.get(`${host}/${path}:${tag}`);
        const headers = digest === undefined ? {} : { "docker-content-digest": digest };
        return { status: digest === undefined ? 404 : 200, headers, body: new Uint8Array() };
      },
    };
  }
}

function hexOf(text: string): string {
  const hex = [...text].map((char) => char.charCodeAt(0).toString(16)).join("");
  return hex.padEnd(DIGEST_CHARS, "0").slice(0, DIGEST_CHARS);
}

// A registry for the demo: it has every image that somebody asks for, except those whose name says that they are missing.
import { createHash } from "node:crypto";
import type { RegistryTransport } from "../../src/runtime/registry-transport.ts";

/** The registry. */
export function demoRegistry(): RegistryTransport {
  return {
    request: async ({ url }) => {
      const isThere = !url.includes("missing");
      const digest = `sha256:${createHash("sha256").update(url).digest("hex")}`;
      return {
        status: isThere ? 200 : 404,
        headers: isThere ? { "docker-content-digest": digest } : {},
        body: new Uint8Array(),
      };
    },
  };
}

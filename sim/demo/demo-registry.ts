// A registry for the demo: it has every image that somebody asks for, except those whose name says that they are missing, and those
// that must be built first.
import { createHash } from "node:crypto";
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import type { RegistryTransport } from "../../src/runtime/http/registry-transport.ts";
import type { Registry } from "../nodes/registry.ts";

type Job = KubeObject & { readonly status?: { readonly succeeded?: number } };
const JOBS: Resource<Job> = { group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true };

/** The repositories whose images are not there before a Job has built them. */
const BUILT = "/built/";

/** The registry. A Job that has succeeded has pushed the image that one of its annotations names. */
export function demoRegistry(client: Pick<Client, "list">): RegistryTransport {
  const isThere = async (image: string) => {
    if (image.includes("missing")) return false;
    if (!image.includes(BUILT)) return true;
    const { items } = await client.list(JOBS);
    const done = items.filter(({ status }) => (status?.succeeded ?? 0) > 0);
    return done.some(({ metadata }) => Object.values(metadata.annotations ?? {}).includes(image));
  };
  return {
    request: async ({ url }) => {
      if (!(await isThere(imageAt(url)))) return { status: 404, headers: {}, body: new Uint8Array() };
      const digest = `sha256:${createHash("sha256").update(url).digest("hex")}`;
      return { status: 200, headers: { "docker-content-digest": digest }, body: new Uint8Array() };
    },
  };
}

/** What the nodes of the demo can pull. */
export const demoPulls: Registry = (image) =>
  image.includes("missing") ? { is: "missing" } : { is: "there", pullMs: 0 };

/** `https://host/v2/a/b/manifests/tag` is the image host/a/b:tag. */
function imageAt(url: string): string {
  const { host, pathname } = new URL(url);
  const [, name = "", tag = ""] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname) ?? [];
  return `${host}/${name}:${tag}`;
}

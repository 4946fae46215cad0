// Pushes the smallest image there is, as a builder would at its end: a config, no layers, and a manifest under a tag.
import { createHash } from "node:crypto";

export type Push = {
  readonly origin: string;
  readonly repository: string;
  readonly tag: string;
  /** Makes this image another one. */
  readonly content?: string;
  readonly authorization?: string;
};

/** Pushes, and returns the digest of the manifest. */
export async function pushImage({ origin, repository, tag, content = "", authorization }: Push): Promise<string> {
  const headers = authorization === undefined ? {} : { authorization };
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    content,
    rootfs: { type: "layers", diff_ids: [] },
  });
  const started = await fetch(`${origin}/v2/${repository}/blobs/uploads/`, { method: "POST", headers });
  const place = new URL(started.headers.get("location") ?? "", origin);
  place.searchParams.set("digest", digestOf(config));
  const octets = { ...headers, "content-type": "application/octet-stream" };
  await expectCreated(await fetch(place, { method: "PUT", headers: octets, body: config }));
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = JSON.stringify({
    ...{ schemaVersion: 2, mediaType, layers: [] },
    config: {
      ...{ mediaType: "application/vnd.oci.image.config.v1+json", digest: digestOf(config), size: config.length },
    },
  });
  const url = `${origin}/v2/${repository}/manifests/${tag}`;
  const typed = { ...headers, "content-type": mediaType };
  await expectCreated(await fetch(url, { method: "PUT", headers: typed, body: manifest }));
  return digestOf(manifest);
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

async function expectCreated(answer: Response): Promise<void> {
  if (answer.status !== 201) throw new Error(`the registry answers ${answer.status}: ${await answer.text()}`);
}

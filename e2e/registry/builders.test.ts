// The command lines of build pods, carried out: by BuildKit's script with a client that notes what it is told, and by the real buildah, which
// pushes to a real registry.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json/json.ts";
import { buildOrder } from "../../src/kinds/module/build/build-order.ts";
import { type BuildPod, buildPod } from "../../src/kinds/module/build/build-pod.ts";
import { BUILD_SITE, BUILDER_IMAGES } from "../../src/kinds/module/build/build-site.ts";
import { EL9, loaderModule, parsedModule } from "../../src/kinds/module/testing/module-builders.ts";
import { describeWithRegistry } from "./registry-program.ts";
import { credentialsFor, describePods, runPod } from "./run-pod.ts";
import { type RunningRegistry, startRegistry, USER } from "./start-registry.ts";

const NASTY = "$(reboot) `x` \"; --destination=evil $HOME $$ \\ '";
const DOCKERFILE =
  "FROM scratch\nARG DRIVER\nARG KERNEL_FULL_VERSION\nLABEL driver=$DRIVER kernel=$KERNEL_FULL_VERSION\nCOPY Dockerfile /\n";

/** The pod that builds this image from a Dockerfile. */
function podFor(is: "buildkit" | "buildah", image: string, text = DOCKERFILE, spec: JsonObject = {}): BuildPod {
  const written = { dockerfileConfigMap: { name: "d" }, buildArgs: [{ name: "DRIVER", value: NASTY }] };
  const module = parsedModule(loaderModule({ build: written }, spec));
  const build = module.driver?.mappings[0]?.build;
  if (build === undefined) throw new Error("the Module has no build");
  const tls = { isPlainHttp: true, isAnyCertificateFine: false };
  const order = buildOrder({ module, kernel: EL9, arch: "" }, build, { image, tls, dockerfile: { text } });
  return buildPod(order, { ...BUILD_SITE, builder: { is, image: BUILDER_IMAGES[is] } });
}

describePods("sh", "the script of BuildKit's pod", () => {
  const digest = `sha256:${"ab".repeat(32)}`;
  let programs: string;
  beforeAll(() => {
    programs = mkdtempSync(join(tmpdir(), "farrier-buildctl-"));
  });
  afterAll(() => rmSync(programs, { recursive: true, force: true }));

  /** A client that notes its arguments one by one and ends like this. */
  const client = (exitCode: number) => {
    const path = join(programs, "buildctl-daemonless.sh");
    const metadata = JSON.stringify(
      { "containerimage.config.digest": "sha256:00", "containerimage.digest": digest },
      null,
      2,
    );
    const lines = [
      "#!/bin/sh",
      `printf '%s\\0' "$@" > ${programs}/args; cp /workspace/Dockerfile ${programs}/Dockerfile`,
      `echo "$BUILDKITD_FLAGS" > ${programs}/flags; cp /run/buildkitd/buildkitd.toml ${programs}/config`,
      exitCode === 0
        ? `cat > /home/user/.local/share/buildkit/metadata.json <<'E'\n${metadata}\nE`
        : `echo 'make: *** Error 2' >&2; exit ${exitCode}`,
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
    chmodSync(path, 0o755);
  };
  const noted = (name: string) => readFileSync(join(programs, name), "utf8");

  test("hands every argument on letter by letter, and leaves the digest as its last words", async () => {
    client(0);
    const end = await runPod(podFor("buildkit", "r.example.dev:5000/kmod:1"), { programs });
    expect(end).toMatchObject({ exitCode: 0, lastWords: `${digest}\n` });
    const args = noted("args").split("\0");
    expect(args.slice(0, 5)).toEqual([
      ...["build", "--progress=plain", "--frontend=dockerfile.v0"],
      ...["--local=context=/workspace", "--local=dockerfile=/workspace"],
    ]);
    expect(args).toContain(`--opt=build-arg:DRIVER=${NASTY}`);
    expect(args).toContain("--output=type=image,name=r.example.dev:5000/kmod:1,push=true,registry.insecure=true");
    expect([noted("Dockerfile"), noted("flags"), noted("config")]).toEqual([
      DOCKERFILE,
      "--oci-worker-no-process-sandbox --config=/run/buildkitd/buildkitd.toml\n",
      '[registry."r.example.dev:5000"]\nhttp = true\ninsecure = true\n',
    ]);
  });

  test("fails as the build fails, without last words, so that the kubelet takes the end of the log", async () => {
    client(2);
    const end = await runPod(podFor("buildkit", "r.example.dev:5000/kmod:1"), { programs });
    expect(end).toEqual({ exitCode: 2, lastWords: "", output: "make: *** Error 2\n" });
  });
});

describePods("buildah", "the pod of buildah", () => {
  describeWithRegistry("buildah itself", (build) => {
    let registry: RunningRegistry;
    beforeAll(async () => {
      registry = await startRegistry({ program: await build(), asks: "password" });
    });
    afterAll(() => registry?.stop());
    const secrets = () => ({ push: { ".dockerconfigjson": JSON.stringify(credentialsFor(registry.host, USER)) } });
    const withSecret = { imageRepoSecret: { name: "push" } };
    const authorization = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString("base64")}`;
    const get = (path: string) =>
      fetch(`${registry.origin}/v2/team/driver/${path}`, {
        headers: { authorization, accept: "application/vnd.oci.image.manifest.v1+json" },
      });

    test("builds what the pod says and pushes it with the secret; its digest is the last words", async () => {
      const end = await runPod(podFor("buildah", `${registry.host}/team/driver:v1`, DOCKERFILE, withSecret), {
        secrets: secrets(),
      });
      expect([end.exitCode, end.output.slice(-2_000)]).toEqual([0, expect.any(String)]);
      const manifest = await get("manifests/v1");
      expect(manifest.headers.get("docker-content-digest")).toBe(end.lastWords.trim());
      const { config } = JSON.parse(await manifest.text());
      const { config: image } = JSON.parse(await (await get(`blobs/${config.digest}`)).text());
      expect(image.Labels).toMatchObject({ driver: NASTY, kernel: EL9 });
    });

    test("says what is wrong with a Dockerfile, and pushes nothing", async () => {
      const pod = podFor("buildah", `${registry.host}/team/driver:v2`, "FROM scratch\nCOPY missing /\n", withSecret);
      const end = await runPod(pod, { secrets: secrets() });
      expect([end.exitCode === 0, end.lastWords, end.output]).toEqual([false, "", expect.stringContaining("missing")]);
      expect((await get("manifests/v2")).status).toBe(404);
    });

    test("is refused by a registry whose password it was not given", async () => {
      const end = await runPod(podFor("buildah", `${registry.host}/team/driver:v3`));
      expect([end.exitCode === 0, (await get("manifests/v3")).status]).toEqual([false, 404]);
      expect(end.output).toMatch(/authentication required|unauthorized/i);
    });
  });
});

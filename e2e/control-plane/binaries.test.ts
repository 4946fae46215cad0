import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheFolder, controlPlaneAvailability, type Environment, ensureControlPlane } from "./binaries.ts";
import { type ProgramName, pinnedVersions } from "./programs.ts";

let folder = "";
let env: Environment = {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farrier-binaries-"));
  // A machine with nothing on it: an empty cache, and a PATH on which there is no Go.
  env = { XDG_CACHE_HOME: join(folder, "cache"), PATH: join(folder, "bin") };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ALL: readonly ProgramName[] = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];

function put(where: string, names: readonly string[], script = "exit 0"): void {
  mkdirSync(where, { recursive: true });
  for (const name of names) {
    writeFileSync(join(where, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(where, name), 0o755);
  }
}

/** A `go` that does what the script says with $out, the file it was told to write. */
function putGo(script: string): void {
  put(join(folder, "bin"), ["go"], `while [ "$1" != "-o" ]; do shift; done; out="$2"; ${script}`);
  env = { ...env, PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
}

describe("controlPlaneAvailability()", () => {
  test("says what is missing and to install Go, where there is neither a binary nor Go", () => {
    const answer = controlPlaneAvailability("controllers", env);
    expect(answer).toMatchObject({ available: false, buildable: false });
    if (answer.available) return;
    expect(answer.reason).toContain("no etcd, kube-apiserver, kube-controller-manager, kube-scheduler in");
    expect(answer.remedy).toContain("install Go");
  });

  test("names the command that builds, where Go is there", () => {
    putGo("exit 1");
    expect(controlPlaneAvailability("controllers", env)).toMatchObject({
      available: false,
      buildable: true,
      remedy: expect.stringContaining("npm run cluster -- build"),
    });
  });

  test("prefers KUBEBUILDER_ASSETS and takes the rest from the cache folder", () => {
    const assets = join(folder, "assets");
    const cache = cacheFolder(env, pinnedVersions());
    put(assets, ["etcd", "kube-apiserver", "kubectl"]);
    put(cache, ALL);
    const answer = controlPlaneAvailability("controllers", { ...env, KUBEBUILDER_ASSETS: assets });
    if (!answer.available) throw new Error(answer.reason);
    expect(Object.fromEntries(answer.binaries)).toEqual({
      etcd: join(assets, "etcd"),
      "kube-apiserver": join(assets, "kube-apiserver"),
      kubectl: join(assets, "kubectl"),
      "kube-controller-manager": join(cache, "kube-controller-manager"),
      "kube-scheduler": join(cache, "kube-scheduler"),
    });
  });

  test("KUBEBUILDER_ASSETS alone is enough for tests that need only an API server", () => {
    const assets = join(folder, "assets");
    put(assets, ["etcd", "kube-apiserver", "kubectl"]);
    const withAssets = { ...env, KUBEBUILDER_ASSETS: assets };
    expect(controlPlaneAvailability("api", withAssets).available).toBe(true);
    expect(controlPlaneAvailability("controllers", withAssets)).toMatchObject({
      available: false,
      reason: expect.stringMatching(/^no kube-controller-manager, kube-scheduler in/),
    });
  });
});

describe("ensureControlPlane()", () => {
  test("builds what is missing, tells each step, and leaves whole files only", async () => {
    putGo('echo "#!/bin/sh" > "$out"; chmod +x "$out"');
    const lines: string[] = [];
    const answer = await ensureControlPlane((line) => lines.push(line), env);
    expect(answer.available).toBe(true);
    expect(readdirSync(cacheFolder(env, pinnedVersions())).sort()).toEqual([...ALL].sort());
    expect(lines[0]).toContain("building etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl");
    for (const name of ALL) expect(lines.some((line) => line.startsWith(`${name}: built in`))).toBe(true);
  });

  test("a failed build is an answer with the compiler's words, and nothing half written stays", async () => {
    putGo('echo "partial" > "$out"; echo "dial tcp: connection refused" >&2; exit 1');
    const answer = await ensureControlPlane(() => {}, env);
    expect(answer).toMatchObject({
      available: false,
      reason: expect.stringContaining("go build of etcd failed: dial tcp: connection refused"),
      remedy: expect.stringContaining("module proxy"),
    });
    expect(readdirSync(cacheFolder(env, pinnedVersions()))).toEqual([]);
  });

  test("two builders at once do the work once", async () => {
    const built = join(folder, "built");
    putGo(`echo x >> "${built}"; echo "#!/bin/sh" > "$out"; chmod +x "$out"`);
    const answers = await Promise.all([ensureControlPlane(() => {}, env), ensureControlPlane(() => {}, env)]);
    expect(answers.map((answer) => answer.available)).toEqual([true, true]);
    expect(readFileSync(built, "utf8")).toBe("x\n".repeat(ALL.length));
  });

  test("the lock and the leftovers of a killed builder are swept away", async () => {
    const cache = cacheFolder(env, pinnedVersions());
    // No process can have this number: it is above the system's limit.
    const dead = 2 ** 22 + 1;
    put(cache, [`.unfinished-${dead}-etcd`]);
    writeFileSync(join(cache, "building.lock"), String(dead));
    putGo('echo "#!/bin/sh" > "$out"; chmod +x "$out"');
    expect((await ensureControlPlane(() => {}, env)).available).toBe(true);
    expect(readdirSync(cache).sort()).toEqual([...ALL].sort());
  });
});

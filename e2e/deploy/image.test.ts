// The image as far as it can be shown without an engine to build it: the Dockerfile names what the bundle writes, and Node, its libraries
// and the bundle are enough for a user without rights and without a shell.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/assembly/program-run.ts";
import { bundle } from "../../tools/bundle.ts";
import { repositoryRoot } from "../../tools/repository.ts";

const dockerfile = readFileSync(join(repositoryRoot, "Dockerfile"), "utf8");
const NOBODY = 65_532;

describe("the Dockerfile", () => {
  test("copies the file that npm run bundle writes, and starts it", () => {
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
    expect(scripts.bundle).toContain("tools/bundle.ts");
    const written = /bundle\("(dist\/[^"]+)"\)/.exec(readFileSync(join(repositoryRoot, "tools", "bundle.ts"), "utf8"));
    expect(dockerfile).toContain(`cp ${written?.[1]} /image/farrier.mjs`);
    expect(dockerfile).toContain('ENTRYPOINT ["/usr/local/bin/node", "/farrier.mjs"]');
  });

  test("takes nothing from the folder that is kept out of it", () => {
    const ignored = readFileSync(join(repositoryRoot, ".dockerignore"), "utf8").trim().split("\n");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(\S+)/gm)].map(([, path = ""]) => path);
    expect(copied).toEqual(["."]);
    expect(ignored).toEqual(expect.arrayContaining(["node_modules", "dist", ".git"]));
  });

  test("ends with an image without a shell, as a user without rights that the pod names too", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(last).toMatch(/^\nFROM scratch\n/);
    expect(last).toContain(`USER ${NOBODY}:${NOBODY}`);
    const installed = readFileSync(join(repositoryRoot, "deploy", "farrier.yaml"), "utf8");
    expect(installed).toContain(`runAsUser: ${NOBODY}`);
  });
});

const isRoot = process.getuid?.() === 0;
const inItsRoot = "in a root of its own";

describe.skipIf(!isRoot)(
  isRoot ? inItsRoot : `${inItsRoot} (skipped: only root has such; run the tests as root)`,
  () => {
    const root = mkdtempSync(join(tmpdir(), "farrier-image-"));
    afterAll(() => rmSync(root, { recursive: true }));
    const put = (from: string, to: string) => {
      mkdirSync(join(root, dirname(to)), { recursive: true });
      cpSync(realpathSync(from), join(root, to));
    };

    test("Node, its libraries and the bundle run without rights", async () => {
      await bundle(join(root, "farrier.mjs"));
      // Temporary folders are their owner's alone.
      chmodSync(root, 0o755);
      put(process.execPath, "/usr/local/bin/node");
      const libraries = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).match(/\/[^ )]+/g) ?? [];
      for (const library of libraries) put(library, library);
      const run = (...args: readonly string[]) =>
        spawnSync("chroot", [`--userspec=${NOBODY}:${NOBODY}`, root, "/usr/local/bin/node", "/farrier.mjs", ...args], {
          ...{ encoding: "utf8", env: { PATH: process.env.PATH } },
        });
      expect(run("--version")).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: "" });
      expect(run("run", "--kinds", "Horse")).toMatchObject({ status: 2, stderr: expect.stringContaining("Horse") });
    });
  },
);

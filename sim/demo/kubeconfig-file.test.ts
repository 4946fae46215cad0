import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { claimKubeconfig, type Disk, KUBECONFIG_NAME, writeClaimed } from "./kubeconfig-file.ts";

const clock = nodeClock();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farrier-kubeconfig-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = (wish?: string) => ({ wish, currentFolder: folder, otherFolder: join(folder, "other") });
const claim = (wish?: string, disk?: Disk) => claimKubeconfig(place(wish), clock, disk);
const contentOf = (port: number) => `clusters:\n  - cluster:\n      server: https://127.0.0.1:${port}\n`;

test("the file lies in the current folder unless another is asked for, and only its owner can read it", async () => {
  expect(await claim()).toBe(join(folder, KUBECONFIG_NAME));
  const wish = join(folder, "mine");
  expect(await claim(wish)).toBe(wish);
  await writeClaimed(wish, "apiVersion: v1\n");
  expect(readFileSync(wish, "utf8")).toMatch(/^# Written by "npm start".*\napiVersion: v1\n$/);
  expect(statSync(wish).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["mine"]);
});

test("what an earlier demo wrote is replaced", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const path = await claim();
  await writeClaimed(path, contentOf(port));
  // As long as somebody answers there, the file is theirs.
  await expect(claim()).rejects.toThrow(
    `another demo runs at https://127.0.0.1:${port} and has written ${path}; stop it, or give --kubeconfig FILE`,
  );
  server.close();
  await once(server, "close");
  await writeClaimed(await claim(), "new: true\n");
  expect(readFileSync(path, "utf8")).toContain("new: true");
});

test("a file of somebody else is left alone", async () => {
  const path = join(folder, KUBECONFIG_NAME);
  writeFileSync(path, "apiVersion: v1\n");
  await expect(claim()).rejects.toThrow(`${path} is there already and not ours to overwrite`);
  expect(readFileSync(path, "utf8")).toBe("apiVersion: v1\n");
});

test("a folder that is not there, or a file in its place, is named", async () => {
  await expect(claim(join(folder, "no", "file"))).rejects.toThrow(/cannot write to .*no \(there is no such folder\)/);
  await expect(claim(folder)).rejects.toThrow(/cannot be read \(EISDIR.*give a file with --kubeconfig FILE/);
});

test("where the current folder cannot be written, another one serves; a wish is never bent", async () => {
  const refusal = Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  const readOnly: Disk = {
    writeFile: async (path, ...rest) => {
      if (!String(path).includes("other")) throw refusal;
      await writeFile(path, ...rest);
    },
  };
  expect(await claim(undefined, readOnly)).toBe(join(folder, "other", KUBECONFIG_NAME));
  chmodSync(join(folder, "other"), 0o777);
  await expect(claim(undefined, readOnly)).rejects.toThrow(/other is open to others; give a file elsewhere/);
  await expect(claim(join(folder, "mine"), readOnly)).rejects.toThrow(
    `cannot write to ${folder} (EROFS: read-only file system); give a file elsewhere with --kubeconfig FILE`,
  );
});

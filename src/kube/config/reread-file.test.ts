import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { MissingFileError } from "../files.ts";
import { faultOfPem, faultOfToken, REREAD_MS, REREAD_SOON_MS, RereadFile } from "./reread-file.ts";

function stage(first: string | undefined) {
  const clock = new VirtualClock();
  const disk = { content: first, reads: 0 };
  const files = {
    async read(path: string) {
      disk.reads += 1;
      if (disk.content === undefined) throw new MissingFileError(path);
      return new TextEncoder().encode(disk.content);
    },
  };
  return { clock, disk, file: new RereadFile({ files, clock }, "/etc/token", faultOfToken) };
}

test("a file is read once in a minute, and not more often", async () => {
  const { clock, disk, file } = stage("one\n");
  expect([await file.read(), await file.read()]).toEqual(["one", "one"]);
  disk.content = "two\n";
  clock.advance(REREAD_MS - 1);
  expect(await file.read()).toBe("one");
  clock.advance(1);
  expect(await file.read()).toBe("two");
  expect(disk.reads).toBe(2);
});

test("many readers at once cost one read", async () => {
  const { disk, file } = stage("one");
  expect(await Promise.all([file.read(), file.read(), file.read()])).toEqual(["one", "one", "one"]);
  expect(disk.reads).toBe(1);
});

test.each([
  ["missing", undefined],
  ["empty", "  \n"],
  ["broken", "tok en"],
])("a file that is %s for a moment does not replace what was good; it is looked at again soon", async (_what, bad) => {
  const { clock, disk, file } = stage("one");
  await file.read();
  disk.content = bad;
  clock.advance(REREAD_MS);
  expect(await file.read()).toBe("one");
  disk.content = "two";
  expect(await file.read()).toBe("one");
  clock.advance(REREAD_SOON_MS);
  expect(await file.read()).toBe("two");
});

test.each([
  [undefined, "/etc/token: no such file"],
  ["", "/etc/token: is empty; it should hold a token"],
  ["a\r\nx-evil: b", "/etc/token: holds something else than a token (blanks or special characters)"],
])("a file that never was good is an error by name: %j", async (content, message) => {
  await expect(stage(content).file.read()).rejects.toThrow(message);
});

test("what a server refused is read again at once", async () => {
  const { clock, disk, file } = stage("one");
  await file.read();
  disk.content = "two";
  clock.advance(REREAD_SOON_MS);
  file.forget();
  expect(await file.read()).toBe("two");
});

test("a server that refuses everything does not make us read without pause", async () => {
  const { disk, file } = stage("one");
  for (let i = 0; i < 10; i++) {
    await file.read();
    file.forget();
  }
  expect(disk.reads).toBe(1);
});

test("what a server refused is not used again when the file has become worse", async () => {
  const { clock, disk, file } = stage("one");
  await file.read();
  disk.content = undefined;
  clock.advance(REREAD_SOON_MS);
  file.forget();
  await expect(file.read()).rejects.toThrow("/etc/token: no such file");
});

describe("the frame of a PEM text", () => {
  const whole = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----";
  test.each([
    ["one block", whole, undefined],
    ["two blocks", `${whole}\n${whole}`, undefined],
    ["a comment before it", `# mine\n${whole}`, undefined],
    ["nothing", "", "is empty; it should hold a PEM block"],
    ["half a block", whole.slice(0, 40), "holds no whole PEM block; it may be half-written"],
    ["one block and a half", `${whole}\n${whole.slice(0, 40)}`, "holds no whole PEM block; it may be half-written"],
    ["something else", "{}", "holds no whole PEM block; it may be half-written"],
  ])("%s", (_what, text, fault) => {
    expect(faultOfPem(text)).toBe(fault);
  });
});

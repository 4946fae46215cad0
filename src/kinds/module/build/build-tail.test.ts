import { expect, test } from "vitest";
import { BuildWorld, DIGEST } from "../testing/build-world.ts";
import { digestFrom, TAIL_LINE_LENGTH_MAX, TAIL_LINES_MAX, tailOf } from "./build-tail.ts";

/** What is read of a Job whose pods left these words, the last of them last. */
function readFrom<T>(
  read: (snapshot: BuildWorld["cluster"], task: { readonly uid: string }) => T,
  ...words: readonly string[]
): T {
  const world = new BuildWorld();
  const ownerReferences = [{ kind: "Job", name: "job", uid: "job-uid", controller: true }];
  for (const [index, message] of words.entries()) {
    const containerStatuses = [{ state: { terminated: { exitCode: 1, message } } }];
    const metadata = { name: `pod-${index}`, namespace: "default", ownerReferences };
    world.cluster.make(
      { kind: "Pod", metadata, status: { phase: "Failed", containerStatuses } },
      world.nowMs + index * 1_000,
    );
  }
  return read(world.cluster, { uid: "job-uid" });
}

test.each([
  ["nothing where no pod left a word", [], ""],
  ["the lines of the newest pod", ["first try", "second\ntry\n"], "second\ntry"],
  ["those of an earlier one where the newest left none", ["first try", ""], "first try"],
  [
    "no colours, no bells, no empty lines",
    ["\u001b[1;31mred\u001b[0m\u0007\r\n\n  indented  "],
    "red\ufffd\n  indented",
  ],
])("the tail has %s", (_, words, tail) => {
  expect(readFrom(tailOf, ...words)).toBe(tail);
});

test("a long log is cut to its last lines, and long lines to their start", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `${index} ${"x".repeat(500)}`);
  const tail = readFrom(tailOf, lines.join("\n")).split("\n");
  expect(tail.length).toBeLessThanOrEqual(TAIL_LINES_MAX);
  expect(tail.at(-1)).toBe((lines.at(-1) ?? "").slice(0, TAIL_LINE_LENGTH_MAX));
  expect(tail.join("\n").length).toBeLessThanOrEqual(1_500);
});

test.each([
  ["a digest alone", DIGEST, DIGEST],
  ["a digest among other words", `pushed ${DIGEST}\n`, DIGEST],
  ["no digest", "sha256:abc", undefined],
])("%s is read from the last words of a success", (_, words, digest) => {
  expect(readFrom(digestFrom, words)).toBe(digest);
});

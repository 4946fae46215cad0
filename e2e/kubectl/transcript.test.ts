// What a transcript leaves out, and what it keeps.
import { expect, test } from "vitest";
import { wordsOf } from "./kubectl.ts";
import { masked } from "./transcript.ts";

test.each([
  ["web   1/1   Running   0   5m12s", "web  1/1  Running  0  AGE"],
  ["3 (5m ago)", "3 (AGE ago)"],
  ['  resourceVersion: "123"', '  resourceVersion: "VERSION"'],
  ["uid: 0b0d5b1c-3b6e-4b53-8a64-1a2b3c4d5e6f", "uid: UID"],
  ["at 2026-11-16T02:06:30Z", "at TIME"],
  ["running at https://127.0.0.1:6443", "running at https://SERVER"],
  ["      cpu:     100m", "      cpu:  100m"],
  ["-        - name: CACHE", "-        - name: CACHE"],
  ["    deeply: indented", "    deeply: indented"],
  ["example.dev/web:1 v1.35.4 5.14.0-427 10.1.0.1 8Gi", "example.dev/web:1 v1.35.4 5.14.0-427 10.1.0.1 8Gi"],
])("%j is told as %j", (text, told) => {
  expect(masked(text)).toBe(told);
});

test("single quotes hold the words of a command together", () => {
  expect(wordsOf("auth can-i '*' 'two words'")).toEqual(["auth", "can-i", "*", "two words"]);
});

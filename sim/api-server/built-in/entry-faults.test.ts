// Config maps and secrets that kube-apiserver v1.35 refuses, with its words as it gave them.
import { expect, test } from "vitest";
import { aServer, call } from "../testing/plain-kinds.ts";
import { builtInKinds } from "./built-in-kinds.ts";
import { ENTRY_BYTES_MAX, mapEntryFaults, secretEntryFaults } from "./entry-faults.ts";

const words = (faults: ReturnType<typeof mapEntryFaults>) => faults.map(({ field, message }) => `${field}: ${message}`);
const odd =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

test("keys must be names of files", () => {
  const map = { data: { good: "", "bad key": "x", "..": "y", "": "z" }, binaryData: { "..a": "eA==" } };
  expect(words(mapEntryFaults(map))).toEqual([
    `data[bad key]: Invalid value: "bad key": ${odd}`,
    "data[..]: Invalid value: \"..\": must not be '..'",
    `data[]: Invalid value: "": ${odd}`,
    "binaryData[..a]: Invalid value: \"..a\": must not start with '..'",
  ]);
  expect(words(secretEntryFaults({ data: { "bad key": "eA==" } }))).toEqual([
    `data[bad key]: Invalid value: "bad key": ${odd}`,
  ]);
});

test("all values together have a limit, in bytes and not in characters", () => {
  const half = "ä".repeat(ENTRY_BYTES_MAX / 4);
  const more = Buffer.alloc(ENTRY_BYTES_MAX / 2).toString("base64");
  expect(mapEntryFaults({ data: { a: half }, binaryData: { b: more } })).toEqual([]);
  expect(words(mapEntryFaults({ data: { a: half, c: "x" }, binaryData: { b: more } }))).toEqual([
    "[]: Too long: may not be more than 1048576 bytes",
  ]);
  const secret = (bytes: number) => ({ data: { a: Buffer.alloc(bytes).toString("base64") } });
  expect(secretEntryFaults(secret(ENTRY_BYTES_MAX))).toEqual([]);
  expect(words(secretEntryFaults(secret(ENTRY_BYTES_MAX + 1)))).toEqual([
    "data: Too long: may not be more than 1048576 bytes",
  ]);
});

test("a new object and a changed one are both looked at", async () => {
  const { transport } = aServer({ builtIn: builtInKinds() });
  for (const plural of ["configmaps", "secrets"]) {
    const path = `/api/v1/namespaces/default/${plural}`;
    const wrong = { "bad key": "eA==" };
    expect((await call(transport, "POST", path, { metadata: { name: "a" }, data: wrong })).status).toBe(422);
    expect((await call(transport, "POST", path, { metadata: { name: "a" } })).status).toBe(201);
    expect((await call(transport, "PATCH", `${path}/a`, { data: wrong })).status).toBe(422);
  }
});

// What kubectl sends, recorded by e2e/kubectl/create.test.ts, and what nobody should.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readProtobuf } from "./read-protobuf.ts";

type Recorded = { readonly command: string; readonly body: string; readonly object: unknown };
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("vectors/kubectl-create.json", import.meta.url), "utf8"),
);

const utf8 = (text: string) => [...new TextEncoder().encode(text)];
const run = (number: number, bytes: readonly number[]) => [(number << 3) | 2, bytes.length, ...bytes];
const count = (number: number, value: number) => [number << 3, value];
const envelope = (kind: string, raw: readonly number[]) =>
  Uint8Array.from([...utf8("k8s\0"), ...run(1, [...run(1, utf8("v1")), ...run(2, utf8(kind))]), ...run(2, raw)]);
const metadata = run(1, run(1, utf8("a")));

describe("readProtobuf()", () => {
  test.each(recorded)("reads the object of kubectl $command", ({ body, object }) => {
    expect(readProtobuf(Buffer.from(body, "base64"))).toEqual({ ok: true, value: object });
  });

  test("passes over an unknown field that says nothing", () => {
    const idle = [...run(9, []), ...count(10, 0), ...run(11, [...count(1, 0), ...run(2, [])])];
    const read = readProtobuf(envelope("Namespace", [...metadata, ...idle]));
    expect(read).toEqual({ ok: true, value: { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } } });
  });

  test.each([
    [envelope("Namespace", [...metadata, ...count(9, 1)]), "this server reads no field 9 of Namespace in protobuf"],
    [envelope("Namespace", run(1, run(9, [8, 1]))), "this server reads no field 9 of Namespace.metadata in protobuf"],
    [envelope("Lease", metadata), "this server reads no Lease in protobuf"],
    [envelope("constructor", metadata), "this server reads no constructor in protobuf"],
    [envelope("Namespace", [0x0a, 0x7f]), "Namespace is no protobuf message"],
    [Uint8Array.from(utf8("{}")), "it does not begin with k8s"],
  ])("names what it cannot read (%#)", (bytes, because) => {
    expect(readProtobuf(bytes)).toEqual({ ok: false, because });
  });

  test("answers for any bytes", () => {
    const kinds = fc.constantFrom("Namespace", "ConfigMap", "Deployment", "Service");
    fc.assert(
      fc.property(kinds, fc.uint8Array({ maxLength: 64 }), (kind, raw) => {
        expect(readProtobuf(envelope(kind, [...raw]))).toHaveProperty("ok");
      }),
    );
  });
});

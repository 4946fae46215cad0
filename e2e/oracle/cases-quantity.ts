// Random amounts in every spelling that Kubernetes accepts, and in some that it does not.
import fc from "fast-check";
import { mostly } from "./arbitrary-json.ts";

export type QuantityCase = { readonly left: string; readonly right: string };

const suffixes = ["", ..."n u m k M G T P E Ki Mi Gi Ti Pi Ei".split(" ")];
const exponents = "e3 E3 e-3 e+2 e0 e9 E-9 e18 e1 e-1".split(" ");
const oddSuffixes = [" Mi", "Mi ", ..."K ki mi i e E+ e1.5 B e- ee Zi e20 E19 e-12 1".split(" ")];

const digits = fc.oneof(
  fc.constantFrom(..."0 00 1 5 8 10 64 100 128 500 999 1000 1024 1500 2000 1000000 007".split(" ")),
  fc.nat(100_000).map(String),
  fc.constantFrom("9007199254740993", "9223372036854775807", "9223372036854775808", "99999999999999999999"),
  // Around the lengths at which Kubernetes changes from int64 to arbitrary precision.
  fc
    .tuple(fc.constantFrom(11, 12, 14, 15, 16, 17, 18, 19), fc.nat(9))
    .map(([length, digit]) => `1${String(digit).repeat(length - 1)}`),
);

const fractions = mostly(fc.constant(""), 3, fc.constantFrom(".", ".0", ".5", ".25", ".500", ".001", ".1234567890123"));

const amounts = fc
  .tuple(
    mostly(fc.constant(""), 6, fc.constantFrom("-", "+")),
    mostly(digits, 20, fc.constant("")),
    fractions,
    mostly(fc.constantFrom(...suffixes), 6, fc.constantFrom(...exponents)),
  )
  .map((parts) => parts.join(""));

const oddAmounts = fc.oneof(
  fc.constantFrom("", " ", "m", "-", "+", ".", "--1", "1 ", " 1", "1,5", "0x10", "NaN", "Infinity", "١"),
  fc.tuple(digits, fc.constantFrom(...oddSuffixes)).map((parts) => parts.join("")),
);

/** Two amounts to write in canonical form and to compare. */
export const quantityCases: fc.Arbitrary<QuantityCase> = fc.record({
  left: mostly(amounts, 12, oddAmounts),
  right: mostly(amounts, 24, oddAmounts),
});

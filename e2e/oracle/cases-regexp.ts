// Random regular expressions, mostly well-formed, each with texts that look like kernel versions.
import fc from "fast-check";
import { mostly } from "./arbitrary-json.ts";

export type RegexpCase = { readonly pattern: string; readonly texts: readonly string[] };

const atoms = [
  String.raw`5 6 14 a el9 - _ \. . \d \D \w \W \s \b \B ^ $ \A \z \x41 \x{e9} \n \t é K ſ \Q.+\E \- \/`,
  String.raw`[0-9] [^0-9] [a-z] [a-f0-9] [[:alpha:]] [[:^digit:]] [\d.] []a] [^]a] \pL \p{Greek} \PN`,
  "(?i:EL) (?s:.) (?m:^5) (?U:5+)",
].flatMap((line) => line.split(" "));

const oddPieces = [
  "( ) [ ] * + ? { } {2 {,2} {2,1} {1001} {0,100} ** a** a*? a*+ || ()",
  String.raw`\ \1 \k<n> \Z \G \c \C \u0041 \xZZ \08 \012 \pZ \p{Han} \p{^Greek} \p{Nope} [z-a] [a-\d] [[:nope:]]`,
  "(?=5) (?!5) (?<=5) (?<!5) (?>5) (?#x) (?P<n>5) (?<n>5) (?P<n> (?P=n) (?x)5 (?i) (?-i) (?i-s)",
].flatMap((line) => line.split(" "));

const { pattern } = fc.letrec<{ pattern: string; repeated: string }>((tie) => ({
  repeated: fc
    .tuple(
      mostly(
        fc.constantFrom(...atoms),
        8,
        tie("pattern").map((inner) => `(${inner})`),
        tie("pattern").map((inner) => `(?:${inner})`),
      ),
      mostly(fc.constant(""), 6, fc.constantFrom("*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,2}", "{2,}")),
    )
    .map(([atom, times]) => `${atom}${times}`),
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 8, arbitrary: fc.array(tie("repeated"), { maxLength: 4 }).map((parts) => parts.join("")) },
    { weight: 1, arbitrary: fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `${left}|${right}`) },
  ),
}));

const brokenPattern = fc
  .array(fc.oneof(fc.constantFrom(...atoms), fc.constantFrom(...oddPieces)), { maxLength: 5 })
  .map((pieces) => pieces.join(""));

const flags = mostly(fc.constant(""), 5, fc.constantFrom("(?i)", "(?s)", "(?m)", "(?U)", "(?im)"));

const textPieces = [..."5 6 14 . - _ el9 EL a A x86 é É K ß Ω ſ ١ 😀 +".split(" "), " ", "\n"];

/** A pattern with a handful of texts. */
export const regexpCases: fc.Arbitrary<RegexpCase> = fc.record({
  pattern: mostly(
    fc.tuple(flags, pattern).map(([flag, body]) => `${flag}${body}`),
    2,
    brokenPattern,
  ),
  texts: fc.array(
    fc.array(fc.constantFrom(...textPieces), { maxLength: 7 }).map((pieces) => pieces.join("")),
    { minLength: 1, maxLength: 5 },
  ),
});

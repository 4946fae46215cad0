import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../core/json/canonical-json.ts";
import { parseInt64 } from "../core/values/int64.ts";
import { scanJson } from "./json-scanner.ts";

test("a whole number keeps every digit of an int64, and is rounded beyond", () => {
  const nearLimits = [2n ** 53n, 2n ** 63n, -(2n ** 53n), -(2n ** 63n)].flatMap((limit) =>
    [-2n, -1n, 0n, 1n, 2n].map((offset) => limit + offset),
  );
  for (const whole of [0n, -1n, 10n ** 19n, -(10n ** 19n), 10n ** 30n, ...nearLimits])
    expect(scanJson(`${whole}`)).toEqual({ ok: true, value: parseInt64(`${whole}`) ?? Number(whole) });
  expect(scanJson("-0")).toEqual({ ok: true, value: 0 });
});

test("our scanner and the engine's parser read the same values from valid text", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      const scanned = scanJson(text);
      // Compared as text, because only our scanner gives bigint.
      expect(scanned.ok && canonicalJson(scanned.value)).toBe(canonicalJson(JSON.parse(text)));
    }),
  );
});

test("our scanner and the engine's parser agree on which texts are valid", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"',
    "\\",
    "1",
    "-",
    "0",
    ".5",
    "e1",
    "true",
    "null",
    " ",
    "\n",
    "\u0001",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      expect(scanJson(text).ok).toBe(isValid(text));
    }),
    { numRuns: 2000 },
  );
});

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

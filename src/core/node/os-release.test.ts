import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnknown } from "../decision/fact.ts";
import { OS_NAMES } from "./os-names.ts";
import { parseOsRelease } from "./os-release.ts";

function described(raw: string): string {
  const os = parseOsRelease(raw);
  if (isUnknown(os)) return `${raw}\n    unknown: ${os.unknown}`;
  const version = isUnknown(os.version) ? `version unknown: ${os.version.unknown}` : os.version.text;
  return `${raw}\n    ${os.id} ${version}${os.openshift === undefined ? "" : `, openshift ${os.openshift.text}`}`;
}

test("parseOsRelease() reads the OS images that we know", async () => {
  const corpus = readFileSync(new URL("./vectors/os-images.input.txt", import.meta.url), "utf8");
  const lines = corpus.split("\n").slice(0, -1);
  expect(lines.length).toBeGreaterThan(70);
  await expect(`${lines.map(described).join("\n")}\n`).toMatchFileSnapshot("./vectors/os-images.expected.txt");
});

test("no name in the table hides a longer one behind it", () => {
  const hidden = OS_NAMES.filter((name, index) =>
    OS_NAMES.slice(0, index).some(({ prefix }) => `${name.prefix} `.startsWith(`${prefix} `)),
  );
  expect(hidden).toEqual([]);
});

describe("parseOsRelease() on bad input", () => {
  test("never throws and keeps the text", () => {
    const anyText = fc.array(fc.nat(0xffff), { maxLength: 80 }).map((units) => String.fromCharCode(...units));
    const text = fc.oneof(
      anyText,
      anyText.map((tail) => `SUSE Linux Enterprise Server ${tail}`),
    );
    fc.assert(
      fc.property(text, (raw) => {
        expect(parseOsRelease(raw).raw).toBe(raw);
      }),
    );
  });

  test("says how long a megabyte is instead of quoting it", () => {
    const os = parseOsRelease("Ubuntu ".padEnd(1 << 20, "2"));
    expect(os).toMatchObject({ unknown: "1048576 characters are more than an OS image name has (512)" });
  });
});

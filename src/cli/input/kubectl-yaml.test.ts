import { expect, test } from "vitest";
import { LineCounter } from "yaml";
import { parseYaml, yamlText } from "./kubectl-yaml.ts";

const read = (text: string): unknown => parseYaml(text, new LineCounter())[0]?.toJS();

/** As `kubectl create --dry-run=client -o json` prints them. */
test.each<[string, unknown]>([
  ["0644", 420],
  ["-0644", -420],
  ["0o17", 15],
  ["-0o17", -15],
  ["08", 8],
  ["0x1F", 31],
  ["0b11", 3],
  ["1_000", 1_000],
  ["1e3", 1_000],
  [".5", 0.5],
  ["yes", true],
  ["Y", true],
  ["on", true],
  ["NO", false],
  ["True", true],
  ["~", null],
  ["'on'", "on"],
  ["12:30:45", "12:30:45"],
  ["1:30", "1:30"],
  ["2026-01-01", "2026-01-01"],
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
  ["2Ti", "2Ti"],
])("%s is read as kubectl reads it", (text, value) => {
  expect(read(`a: ${text}\n`)).toEqual({ a: value });
});

test("what an anchor names is merged", () => {
  expect(read("base: &base {cpu: 1}\nmore: {<<: *base, memory: 2}\n")).toMatchObject({ more: { cpu: 1, memory: 2 } });
});

test.each(["yes", "n", "off", "0644", "0o17", "1_000", "12:30", "2026-01-01", "1e3", "~", "", "2Ti", "a: b"])(
  "the text %j comes back as it was, by kubectl and by us",
  (text) => {
    const printed = yamlText({ [text]: text });
    expect(read(printed)).toEqual({ [text]: text });
  },
);

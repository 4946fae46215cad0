// YAML as kubectl reads it: of version 1.1, in which 0644 is octal and `yes` is true, but without its times, binaries and odd collections.
// A plan for a manifest must be about the object that kubectl will send, and what we print must come back from kubectl as it was.
import { type Document, type LineCounter, parseAllDocuments, type ScalarTag, stringify, type Tags } from "yaml";

/** Octal numbers as Go writes them, which no version of YAML has in this form beside the other. */
const goOctal: ScalarTag = {
  ...{ default: true, tag: "tag:yaml.org,2002:int", test: /^[-+]?0o[0-7]+$/ },
  resolve: (text) => Number(text.replace(/^[-+]/, "")) * (text.startsWith("-") ? -1 : 1),
};
/** What kubectl takes for texts: 12:30 is no number of minutes, and a date is no date. */
const asTexts: readonly string[] = ["timestamp", "binary", "omap", "pairs", "set"].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

/** Parses all documents of a text; what is wrong with one is in its errors. */
export function parseYaml(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  return parseAllDocuments(text, { version: "1.1", customTags: kubectlTags, lineCounter, prettyErrors: false });
}

/** Prints a value as one document; texts that only an older reader takes for something else are in quotes. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
}

function kubectlTags(tags: Tags): Tags {
  const known = tags.filter((tag) => typeof tag === "string" || (!isTime(tag) && !asTexts.includes(tag.tag)));
  return [goOctal, ...known];
}

function isTime(tag: Exclude<Tags[number], string>): boolean {
  return "format" in tag && tag.format === "TIME";
}

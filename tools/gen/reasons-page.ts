// The reference page of reasons, from the list in the core.
import { reasons } from "../../src/core/decision/reasons.ts";
import type { Output } from "./outputs.ts";

/** `docs/reference/reasons.md`: every reason with its meaning and its remedy, in alphabetical order. */
export function generateReasonsPage(): Output {
  const rows = Object.entries(reasons)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { meaning, remedy }]) => `| \`${reason}\` | ${meaning} | ${remedy} |`);
  const content = `# Reasons

Farrier gives one of these words wherever it says why: in conditions, events, logs and on the command line.
This page is generated from \`src/core/decision/reasons.ts\` by \`npm run gen\`.

| reason | meaning | what to do |
|---|---|---|
${rows.join("\n")}
`;
  return { path: "docs/reference/reasons.md", content };
}

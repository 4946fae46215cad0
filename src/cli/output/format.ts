// The formats of results: text for people, JSON and YAML with a version for programs.
import { yamlText } from "../input/kubectl-yaml.ts";

export type Format = "text" | "json" | "yaml";
export const FORMATS: readonly Format[] = ["text", "json", "yaml"];

/** Raised by one when something is added, by a whole number when something is renamed or taken away. */
export const FORMAT_VERSION = "1.0";

/** The result in a format; the text is made only if it is wanted. */
export function formatted(format: Format, value: Readonly<Record<string, unknown>>, text: () => string): string {
  const versioned = { formatVersion: FORMAT_VERSION, ...value };
  switch (format) {
    case "text":
      return text();
    case "json":
      return `${JSON.stringify(versioned, null, 2)}\n`;
    case "yaml":
      return yamlText(versioned);
  }
}

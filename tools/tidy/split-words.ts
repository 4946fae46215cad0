// The words inside a name, whatever its spelling: camelCase, PascalCase, CONSTANT_CASE, kebab-case.

/** A text in lower case, with a blank at every change of case and instead of every underscore. */
export function spaceOut(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** The words of a name, in lower case. */
export function splitWords(name: string): readonly string[] {
  return spaceOut(name)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

// The fields of Go structs, read from the source of Kubernetes: enough of Go's grammar for its API types.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type GoField = {
  /** The name in Go. */
  readonly name: string;
  /** The type as it is written: `*int64`, `[]Container`. */
  readonly type: string;
  /** The name in JSON; the name in Go where there is no tag. */
  readonly json: string;
  readonly isOmitted: boolean;
  readonly isOmittedWhenZero: boolean;
  readonly isEmbedded: boolean;
};

/** The source of all types of a package. */
export function readTypes(folder: string): string {
  return globSync(join(folder, "*types*.go"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

/** The fields of a struct in the order of its source; undefined when there is no such struct. */
export function structFields(source: string, name: string): readonly GoField[] | undefined {
  const body = new RegExp(`^type ${name} struct \\{\\n([\\s\\S]*?)^\\}`, "m").exec(source)?.[1];
  return body?.split("\n").flatMap((line) => {
    const match = /^\s+(?:(\w+)\s+)?([*\w.[\]]+)(?:\s+`.*?json:"([^"]*)".*`)?\s*(?:\/\/.*)?$/.exec(line);
    if (match === null) return [];
    const [, name = "", type = "", tag] = match;
    const [json = "", ...options] = (tag ?? name).split(",");
    return [
      {
        ...{ name, type, json },
        isOmitted: options.includes("omitempty"),
        isOmittedWhenZero: options.includes("omitzero"),
        isEmbedded: options.includes("inline") || (name === "" && tag === undefined),
      },
    ];
  });
}

// A YAML file read by path, where every complaint names the file, the line and the field, and never a value:
// the files that are read this way hold credentials.
import { isNode, LineCounter, parseDocument } from "yaml";

export type YamlPath = readonly (string | number)[];

/** A file that points at itself more often than this was made to hurt. */
const ALIASES_MAX = 100;

export class LocatedYaml {
  readonly file: string;
  readonly #root: unknown;
  readonly #offsetOf: (path: YamlPath) => number;
  readonly #lines = new LineCounter();

  /** Parses text; throws an error with file and line when it is not one YAML document. */
  constructor(file: string, text: string) {
    this.file = file;
    // The parser's own messages quote the source, so only its code word is passed on.
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      throw new Error(`${this.#place(error.pos[0])}: not valid YAML: ${error.code.toLowerCase().replaceAll("_", " ")}`);
    }
    this.#offsetOf = (path) => {
      const node = document.getIn(path, true);
      if (isNode(node) && node.range) return node.range[0];
      return path.length === 0 ? 0 : this.#offsetOf(path.slice(0, -1));
    };
    this.#root = rootOf(file, () => document.toJS({ maxAliasCount: ALIASES_MAX }));
  }

  /** The value at a path; undefined when it is absent or null. */
  value(path: YamlPath): unknown {
    let value: unknown = this.#root;
    for (const step of path) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
      value = Reflect.get(value, step);
    }
    return value ?? undefined;
  }

  text(path: YamlPath): string | undefined {
    const value = this.value(path);
    if (value === undefined || typeof value === "string") return value;
    throw this.complaint(path, "must be text; put it in quotes");
  }

  flag(path: YamlPath): boolean | undefined {
    const value = this.value(path);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.complaint(path, "must be true or false");
  }

  /** How many entries a list has; none when it is absent. */
  count(path: YamlPath): number {
    const value = this.value(path);
    if (value === undefined) return 0;
    if (Array.isArray(value)) return value.length;
    throw this.complaint(path, "must be a list");
  }

  texts(path: YamlPath): readonly string[] {
    return Array.from({ length: this.count(path) }, (_, index) => this.text([...path, index]) ?? "");
  }

  /** The names in a mapping; none when it is absent. */
  names(path: YamlPath): readonly string[] {
    const value = this.value(path);
    if (value === undefined) return [];
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return Object.keys(value);
    throw this.complaint(path, "must be a mapping");
  }

  /** An error about one field, with its file and line. */
  complaint(path: YamlPath, fault: string): Error {
    const field = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
    return new Error(`${this.#place(this.#offsetOf(path))}: ${field.replace(/^\./, "") || "the file"} ${fault}`);
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.file}:${line}:${col}`;
  }
}

function rootOf(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (cause) {
    throw new Error(`${file}: not valid YAML: its aliases refer to nothing or multiply without end`, { cause });
  }
}

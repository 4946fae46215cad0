// A YAML file read by path, where every complaint names the file, the line and the field, and never a value:
// the files that are read this way hold credentials.
import { type Document, isNode, LineCounter, parseDocument, visit } from "yaml";

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
    this.#root = rootOf(this.#place(firstAliasAt(document)), () => document.toJS({ maxAliasCount: ALIASES_MAX }));
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
    return new Error(`${this.at(path)} ${fault}`);
  }

  /** How a field is called in messages: file, line, column and path; of a field that is absent the place of its parent. */
  at(path: YamlPath): string {
    const field = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
    return `${this.#place(this.#offsetOf(path))}: ${field.replace(/^\./, "") || "the file"}`;
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.file}:${line}:${col}`;
  }
}

/** Only aliases can fail once the text is parsed. */
function firstAliasAt(document: Document.Parsed): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** The parser's own complaint quotes the name of the alias, so it goes no further. */
function rootOf(place: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new Error(`${place}: not valid YAML: its aliases refer to nothing or multiply without end`);
  }
}

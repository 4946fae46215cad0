// The heads of HTTP/1.1 as text: ours as it is written, a server's as it is read, and what a server's says of the body that follows.

export type AnswerHead = {
  readonly status: number;
  /** Names in lower case; what is there several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** True when the server leaves the connection open for another request. */
  readonly isKeepable: boolean;
};

export type AnswerBody =
  | { readonly is: "sized"; readonly bytes: number }
  | { readonly is: "chunked" }
  | { readonly is: "to the close" }
  /** Two readers could find different ends. */
  | { readonly is: "unclear"; readonly because: string };

/** As much as Node's own parser takes. */
export const HEAD_BYTES_MAX = 16 * 1024;

/** All of a head at once costs half of what its lines cost one by one. What follows a part never belongs to it, so no text takes long. */
const HEAD =
  /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
/** Where a head says its minor version and its status. */
const MINOR_AT = "HTTP/1.".length;
const STATUS_AT = "HTTP/1.1 ".length;
const STATUS_END = "HTTP/1.1 200".length;
const LINE_END = "\r\n";
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a request may carry. Bytes above ASCII mean something else to every reader, and a line break would begin another header. */
const SENT_VALUE = /^[\t\x20-\x7e]*$/;
const SENT_TARGET = /^\/[\x21-\x7e]*$/;
const LENGTH = /^\d{1,15}$/;

/** Reads a head without its last empty line; undefined when it is none. */
export function parseHead(text: string): AnswerHead | undefined {
  if (!HEAD.test(text)) return undefined;
  // Without a prototype, whatever a header is called.
  const headers: Record<string, string> = Object.create(null);
  for (let end = text.indexOf(LINE_END); end !== -1; ) {
    const from = end + LINE_END.length;
    const colon = text.indexOf(":", from);
    end = text.indexOf(LINE_END, colon);
    const name = text.slice(from, colon).toLowerCase();
    const value = withoutBlanksAround(text.slice(colon + 1, end === -1 ? text.length : end));
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const wishes = headers.connection?.toLowerCase() ?? "";
  const isKeepable = text[MINOR_AT] === "1" ? !wishes.includes("close") : wishes.includes("keep-alive");
  return { status: Number(text.slice(STATUS_AT, STATUS_END)), headers, isKeepable };
}

/** True for one line of a head. */
export function isHeader(line: string): boolean {
  return HEADER.test(line);
}

/** `trim` takes more than blanks, and an expression that finds the last ones may take for ever. */
function withoutBlanksAround(text: string): string {
  const isBlank = (at: number) => text[at] === " " || text[at] === "\t";
  let from = 0;
  while (isBlank(from)) from += 1;
  let to = text.length;
  while (to > from && isBlank(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** How the body behind a head is framed. */
export function bodyOf({ status, headers }: AnswerHead): AnswerBody {
  const { "transfer-encoding": encoding, "content-length": length } = headers;
  if (status === 101 || status === 204 || status === 304) return { is: "sized", bytes: 0 };
  if (encoding !== undefined && length !== undefined) {
    return {
      is: "unclear",
      because: "its answer has both a length and chunks; see whether a proxy in between rewrites answers",
    };
  }
  if (encoding !== undefined) {
    if (encoding.toLowerCase() === "chunked") return { is: "chunked" };
    return { is: "unclear", because: `its answer is sent as ${JSON.stringify(encoding)}, which nobody asked for` };
  }
  if (length === undefined) return { is: "to the close" };
  if (LENGTH.test(length)) return { is: "sized", bytes: Number(length) };
  return { is: "unclear", because: `its answer has the length ${JSON.stringify(length)}` };
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export type RequestHead = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly host: string;
  /** One after the other; whoever sends the same ones time and again hands over the very same value. */
  readonly headers: readonly Headers[];
  /** Undefined without a body. */
  readonly bodyBytes: number | undefined;
};

/** The head of a request with the empty line behind it; throws when a part of it cannot be written down. */
export function printHead({ method, target, host, headers, bodyBytes }: RequestHead): string {
  if (!SENT_TARGET.test(target)) throw new TypeError(`${method}: the path holds characters that have to be escaped`);
  const size = bodyBytes === undefined ? "" : `content-length: ${bodyBytes}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${headers.map(printHeaders).join("")}${size}\r\n`;
}

/** What has been looked through once. */
const printed = new WeakMap<Headers, string>();

function printHeaders(headers: Headers): string {
  const known = printed.get(headers);
  if (known !== undefined) return known;
  let text = "";
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === "string" ? [value] : value) {
      // The value stays unsaid: it may be a credential.
      if (!NAME.test(name) || !SENT_VALUE.test(one)) {
        throw new TypeError(
          `the header ${JSON.stringify(name)} holds characters that cannot be sent; see where it comes from`,
        );
      }
      text += `${name}: ${one}\r\n`;
    }
  }
  printed.set(headers, text);
  return text;
}

// JSON text to values and back as Go would, without losing a digit: integers beyond 2^53 become bigint when read and are
// written as the plain numbers they were. Everything that a client sends or receives passes here.

/** The shortest integer that may not fit a double exactly has sixteen digits. What stands before it keeps digests out. */
const longInteger = /(?:^|[:,[\s-])[0-9]{16}/;
/** A part of a surrogate pair, of which Go reads each one without its partner as U+FFFD. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;
/** The end of a key whose last character is a backslash; an even number of them before the quote, or its code. */
const backslashKeyEnd = /(?<!\\)((?:\\\\)*\\(?:\\|u005[cC]))"(?=[ \t\n\r]*:)/g;
/** What Go escapes although JSON lets it stand. Outside of texts JSON has no such sign. */
const escapedByGo = /[<>&\u2028\u2029]/g;
const integer = /^-?[0-9]+$/;

/** What `JSON` can do in Node 24 beyond the compiler's library: write a number verbatim. */
type VerbatimJson = { rawJSON(text: string): unknown };

/** Reads JSON text, however deep; throws a SyntaxError when it is none. */
export function parseJson(text: string): unknown {
  const isSafe = isSafeForEngine(text);
  // With another end of such a key the plain parser still says whether the text is JSON.
  const value: unknown = JSON.parse(isSafe ? text : text.replace(backslashKeyEnd, '$1_"'));
  // Reading piece by piece costs several times a plain parse, so it is done only where it may make a difference.
  const isExact = isSafe && !longInteger.test(text) && !(text.includes("\\u") && surrogateEscape.test(text));
  return isExact ? value : parseExactly(text);
}

/** Reads JSON text as fast as the engine can, for those who look for rounded numbers themselves. */
export function parseRounding(text: string): unknown {
  return isSafeForEngine(text) ? JSON.parse(text) : parseJson(text);
}

/**
 * The plain parser of Node 24 and 26 takes later keys for one that ends in a backslash (nodejs/node#63785), so it must not see one.
 * Most texts have no backslash at all, and finding that out costs next to nothing.
 */
function isSafeForEngine(text: string): boolean {
  if (!text.includes("\\")) return true;
  return !(text.includes("\\u") || text.includes('\\\\"')) || text.search(backslashKeyEnd) === -1;
}

/** Writes JSON text; a bigint becomes a number with all its digits. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The plain writer is several times faster and refuses bigint with a TypeError; so it goes first.
    if (!(error instanceof TypeError)) throw error;
    const { rawJSON } = JSON as unknown as VerbatimJson;
    return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? rawJSON(`${part}`) : part));
  }
}

/**
 * Writes JSON text with the escapes that Go writes. Servers keep some parts of objects as the bytes that they came in, and
 * programs in Go compare those with what they would have written.
 */
export function printEscapedJson(value: unknown): string {
  return printJson(value).replace(escapedByGo, unicodeEscape);
}

function unicodeEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Reads text that is known to be JSON. It keeps its own stack: a reviver would overflow on 2,500 levels. */
function parseExactly(text: string): unknown {
  // What matters in it: a bracket, the start of a string, or a bare word or number.
  const nextMark = /[{}[\]"]|[^\s,:{}[\]"]+/g;
  const root: unknown[] = [];
  const open: Place[] = [{ holder: root, key: undefined }];
  for (let mark = nextMark.exec(text); mark !== null; mark = nextMark.exec(text)) {
    const place = open[open.length - 1] as Place;
    switch (mark[0]) {
      case "{":
      case "[": {
        const holder = mark[0] === "{" ? {} : [];
        put(place, holder);
        open.push({ holder, key: undefined });
        break;
      }
      case "}":
      case "]":
        open.pop();
        break;
      case '"': {
        const end = endOfString(text, mark.index);
        nextMark.lastIndex = end;
        putString(place, String(JSON.parse(text.slice(mark.index, end))).toWellFormed());
        break;
      }
      default:
        put(place, parseWord(mark[0]));
    }
  }
  return root[0];
}

type Place = { readonly holder: unknown[] | Record<string, unknown>; key: string | undefined };

function put(place: Place, value: unknown): void {
  if (Array.isArray(place.holder)) place.holder.push(value);
  // Not an assignment: that would call the setter behind "__proto__".
  else
    Object.defineProperty(place.holder, place.key ?? "", {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  place.key = undefined;
}

function putString(place: Place, text: string): void {
  if (Array.isArray(place.holder) || place.key !== undefined) put(place, text);
  else place.key = text;
}

function parseWord(word: string): unknown {
  const value: unknown = JSON.parse(word);
  return typeof value === "number" && !Number.isSafeInteger(value) && integer.test(word) ? BigInt(word) : value;
}

/** The index behind the quote that closes the string at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text[quote - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

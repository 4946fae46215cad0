// Times as Go reads and writes them: RFC 3339, in UTC; seconds for most fields, exactly six digits of them for leases and
// events. A text that is no time is refused with the words of Go's parser.

export class TimeError extends Error {}

type Part = readonly [words: string, pattern: RegExp];

const date: readonly Part[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d\d/],
  ["-", /^-/],
  ["02", /^\d\d/],
  ["T", /^T/],
  ["15", /^\d\d/],
  [":", /^:/],
  ["04", /^\d\d/],
  [":", /^:/],
  ["05", /^\d\d/],
];
const zone: Part = ["Z07:00", /^(?:Z|[-+]\d\d:\d\d)$/];
const layouts = {
  // A fraction that the layout does not ask for is taken all the same.
  seconds: { layout: "2006-01-02T15:04:05Z07:00", parts: [...date, ["", /^(?:\.\d+)?/] satisfies Part, zone] },
  micros: {
    layout: "2006-01-02T15:04:05.000000Z07:00",
    parts: [...date, [".000000", /^\.\d{6}/] satisfies Part, zone],
  },
};
/** Texts that surely are times, as Go writes them: every month has this many days. */
const plain = {
  seconds: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  micros: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
};

/** The time as Go writes it back; throws TimeError. */
export function goTime(text: string, hasMicros: boolean): string {
  const precision = hasMicros ? "micros" : "seconds";
  if (plain[precision].test(text)) return text;
  const ms = Date.parse(text);
  const fault = faultIn(text, precision);
  if (fault !== undefined || Number.isNaN(ms) || !isDayOfMonth(text)) {
    const because = fault ?? ": day out of range";
    throw new TimeError(
      `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layouts[precision].layout)}${because}`,
    );
  }
  const seconds = new Date(ms).toISOString().slice(0, 19);
  return hasMicros ? `${seconds}${/\.\d{6}/.exec(text)?.[0] ?? ""}Z` : `${seconds}Z`;
}

/** The engine reads the 30th of February as a day of March; Go does not. */
function isDayOfMonth(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function faultIn(text: string, precision: "seconds" | "micros"): string | undefined {
  let rest = text;
  for (const [words, pattern] of layouts[precision].parts) {
    const match = pattern.exec(rest);
    if (match === null) return `: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(words)}`;
    rest = rest.slice(match[0].length);
  }
  return undefined;
}

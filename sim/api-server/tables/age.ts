// Spans of time as the real server prints them for people: two or three significant figures, coarser the longer it has been.

/** A second of difference between clocks counts as now; more than that cannot be right. */
const CLOCK_SKEW_SECONDS = 1;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Up to this many seconds, a span is written in these units; the smaller one is left out when it is zero. */
const scales: readonly (readonly [below: number, unit: number, name: string, rest: number, restName: string])[] = [
  [2 * MINUTE, 1, "s", 0, ""],
  [10 * MINUTE, MINUTE, "m", 1, "s"],
  [3 * HOUR, MINUTE, "m", 0, ""],
  [8 * HOUR, HOUR, "h", MINUTE, "m"],
  [2 * DAY, HOUR, "h", 0, ""],
  [8 * DAY, DAY, "d", HOUR, "h"],
  [2 * YEAR, DAY, "d", 0, ""],
  [8 * YEAR, YEAR, "y", DAY, "d"],
  [Number.POSITIVE_INFINITY, YEAR, "y", 0, ""],
];

/** A span: "5m", "2d3h". */
export function printSpan(spanMs: number): string {
  const seconds = Math.trunc(spanMs / 1000);
  if (seconds < -CLOCK_SKEW_SECONDS) return "<invalid>";
  const [, unit = 1, name = "s", rest = 0, restName = ""] = scales.find(([below]) => seconds < below) ?? [];
  const whole = Math.max(0, Math.floor(seconds / unit));
  const more = rest === 0 ? 0 : Math.floor((seconds % unit) / rest);
  return more === 0 ? `${whole}${name}` : `${whole}${name}${more}${restName}`;
}

/** How long ago a time of an object was; "<unknown>" for none. */
export function printAge(timestamp: string, nowMs: number): string {
  const thenMs = Date.parse(timestamp);
  return Number.isNaN(thenMs) ? "<unknown>" : printSpan(nowMs - thenMs);
}

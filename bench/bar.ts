// A bar is the limit that a ratio is held to, with its direction.

export type Bar = { readonly direction: "at most" | "at least"; readonly limit: number };

/** The ratio may not be larger: for times and sizes. */
export function atMost(limit: number): Bar {
  return { direction: "at most", limit };
}

/** The ratio may not be smaller: for rates. */
export function atLeast(limit: number): Bar {
  return { direction: "at least", limit };
}

/** True when the ratio is on the right side of the bar, or on it; a ratio that is no number holds nothing. */
export function isHeld(bar: Bar, ratio: number): boolean {
  return bar.direction === "at most" ? ratio <= bar.limit : ratio >= bar.limit;
}

/** The bar as a table shows it: `≤ 0.5`. */
export function barText(bar: Bar): string {
  const sign = bar.direction === "at most" ? "≤" : "≥";
  return `${sign} ${Number(bar.limit.toPrecision(3))}`;
}

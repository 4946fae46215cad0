// Marks (`{{uid}}`) in requests stand for values that earlier answers gave.

export type Kept = ReadonlyMap<string, string>;

/** A value with every mark in its strings and keys replaced; an unknown mark is a mistake of the scenario. */
export function fillMarks(value: unknown, kept: Kept): unknown {
  if (typeof value === "string") return fillText(value, kept);
  if (Array.isArray(value)) return value.map((item) => fillMarks(item, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fillText(key, kept), fillMarks(item, kept)]));
}

/** A text with every mark replaced. */
export function fillText(text: string, kept: Kept): string {
  return text.replace(/\{\{([a-zA-Z0-9]+)\}\}/g, (_all, mark: string) => {
    const value = kept.get(mark);
    if (value === undefined)
      throw new Error(`the mark {{${mark}}} was never kept; there are: ${[...kept.keys()].join(", ")}`);
    return value;
  });
}

/** The value at a dotted path (`metadata.uid`, `items.0.metadata.name`), or undefined. */
export function valueAt(body: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    return Reflect.get(value, step);
  }, body);
}

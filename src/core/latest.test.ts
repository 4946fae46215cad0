import { describe, expect, test } from "vitest";
import { createLatest } from "./latest.ts";

describe("the latest answer", () => {
  test("is given again for the very same inputs, and for nothing else", () => {
    const latest = createLatest<object>();
    const list = [1];
    const first = latest([list, 1], () => ({}));
    expect(latest([list, 1], () => ({}))).toBe(first);
    expect(latest([[1], 1], () => ({}))).not.toBe(first);
    expect(latest([list, 1], () => ({}))).not.toBe(first);
  });

  test("is not given again for more or fewer inputs, or when it is no longer good", () => {
    const latest = createLatest<number>();
    expect(latest([1], () => 1)).toBe(1);
    expect(latest([1, undefined], () => 2)).toBe(2);
    expect(
      latest(
        [1, undefined],
        () => 3,
        (answer) => answer > 2,
      ),
    ).toBe(3);
    expect(
      latest(
        [1, undefined],
        () => 4,
        (answer) => answer > 2,
      ),
    ).toBe(3);
  });
});

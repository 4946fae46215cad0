import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListSplitter } from "./list-splitter.ts";
import { isTooLong } from "./piece-buffer.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);

function split(text: string, cuts: readonly number[] = [], itemBytesMax = 10_000) {
  const bytes = bytesOf(text);
  const splitter = new ListSplitter(itemBytesMax);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  const items = places.flatMap((place, index) =>
    [...splitter.push(bytes.subarray(places[index - 1] ?? 0, place))].map((piece) =>
      isTooLong(piece) ? `too long: ${piece.tooLongBytes}` : textOf(piece),
    ),
  );
  const envelope = textOf(splitter.finish());
  return { items, envelope, problem: splitter.problem };
}

describe("a list page", () => {
  test("with its metadata first, as built-in lists are written", () => {
    expect(split('{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":[{}]}]}')).toEqual({
      items: ['{"a":1}', '{"b":[{}]}'],
      envelope: '{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]}',
      problem: undefined,
    });
  });

  test("with its metadata last, as lists of custom resources are written", () => {
    expect(split('{"items":[{"a":"]}"}],"metadata":{"continue":"x"}}\n')).toEqual({
      items: ['{"a":"]}"}'],
      envelope: '{"items":[],"metadata":{"continue":"x"}}\n',
      problem: undefined,
    });
  });

  test.each([
    { name: "empty", text: '{"items":[]}', envelope: '{"items":[]}' },
    { name: "null, as an empty Go slice is written", text: '{"items":null}', envelope: '{"items":null}' },
    {
      name: "elsewhere",
      text: '{"a":{"items":[{}]},"b":["items",[{}]]}',
      envelope: '{"a":{"items":[{}]},"b":["items",[{}]]}',
    },
    { name: "only alike", text: '{"xitems":[{}],"itemss":[{}]}', envelope: '{"xitems":[{}],"itemss":[{}]}' },
    { name: "the end of another name", text: '{"a\\"items":[{}]}', envelope: '{"a\\"items":[{}]}' },
  ])("has no items when they are $name", ({ text, envelope }) => {
    expect(split(text)).toEqual({ items: [], envelope, problem: undefined });
  });

  test("reports an item over the limit by its length and goes on", () => {
    const long = `{"a":"${"x".repeat(100)}"}`;
    expect(split(`{"items":[{"b":1},${long},{"c":1}]}`, [40, 60], 50).items).toEqual([
      '{"b":1}',
      `too long: ${long.length}`,
      '{"c":1}',
    ]);
  });

  test.each([
    { name: "cut off between items", text: '{"items":[{"a":1},', problem: "the answer ends in the middle" },
    { name: "cut off in an item", text: '{"items":[{"a":"', problem: "the answer ends in the middle" },
    { name: "cut off behind the items", text: '{"items":[{"a":1}]', problem: "the answer ends in the middle" },
    {
      name: "with a number for an item",
      text: '{"items":[{"a":1},5]}',
      problem: "an item of the list is not an object",
    },
    { name: "with a list for an item", text: '{"items":[[{}]]}', problem: "an item of the list is not an object" },
  ])("is refused when it comes $name", ({ text, problem }) => {
    expect(split(text)).toMatchObject({ envelope: undefined, problem });
  });

  test("is refused when the answer is a large text of another kind, without keeping it", () => {
    expect(split(`<!DOCTYPE html>${"<p>sorry</p>".repeat(100_000)}`).problem).toMatch(/stand outside its items/);
  });
});

test("the items and the envelope do not depend on chunks, order of members or spaces", () => {
  const item = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  const page = fc
    .tuple(fc.array(item, { maxLength: 5 }), fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean())
    .map(([items, rest, isFirst]) => (isFirst ? { items, ...rest, x: 1 } : { ...rest, x: 1, items }))
    .filter((each) => Array.isArray(each.items));
  fc.assert(
    fc.property(page, fc.array(fc.nat()), fc.constantFrom(undefined, 2, "\t"), (each, cuts, indent) => {
      const parts = split(JSON.stringify(each, undefined, indent), cuts);
      expect(parts.items.map((text) => JSON.parse(text ?? "undefined"))).toEqual(
        JSON.parse(JSON.stringify(each.items)),
      );
      expect(JSON.parse(parts.envelope ?? "")).toEqual(JSON.parse(JSON.stringify({ ...each, items: [] })));
    }),
    { numRuns: 300 },
  );
});

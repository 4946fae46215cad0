import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemberCutter } from "./member-cutter.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const managedFieldsAlone = new MemberCutter([]);
const textOfItem = (bytes: Uint8Array): string => managedFieldsAlone.textOfItem(bytes);
const textOfEvent = (bytes: Uint8Array): string => managedFieldsAlone.textOfEvent(bytes);

describe("textOfItem", () => {
  test.each([
    { name: "first member", json: '{"metadata":{"managedFields":[1],"name":"a"}}', cut: '{"metadata":{"name":"a"}}' },
    { name: "last member", json: '{"metadata":{"name":"a","managedFields":[1]}}', cut: '{"metadata":{"name":"a"}}' },
    { name: "only member", json: '{"metadata":{"managedFields":[1]}}', cut: '{"metadata":{}}' },
    { name: "middle", json: '{"metadata":{"a":1,"managedFields":{},"b":2}}', cut: '{"metadata":{"a":1,"b":2}}' },
    {
      name: "spaces",
      json: '{ "metadata" : { "a" : 1 , "managedFields" : [ ] } }',
      cut: '{ "metadata" : { "a" : 1  } }',
    },
    { name: "a scalar", json: '{"metadata":{"managedFields":null,"a":1}}', cut: '{"metadata":{"a":1}}' },
    {
      name: "brackets and quotes in strings of the value",
      json: '{"metadata":{"managedFields":[{"a":"]}\\"]","b\\\\":[]}],"a":1}}',
      cut: '{"metadata":{"a":1}}',
    },
    {
      name: "a string of the value that ends like a list before the next name",
      json: '{"metadata":{"managedFields":["],","]}","}]},"],"a":1}}',
      cut: '{"metadata":{"a":1}}',
    },
    {
      name: "lists in the list",
      json: '{"metadata":{"managedFields":[{"b":[1],"c":[]},[2]],"a":1}}',
      cut: '{"metadata":{"a":1}}',
    },
  ])("cuts it out: $name", ({ json, cut }) => {
    expect(textOfItem(bytesOf(json))).toBe(cut);
  });

  test.each([
    { name: "in a string", json: '{"metadata":{"a":"\\"managedFields\\":[1],"}}' },
    { name: "deeper in metadata", json: '{"metadata":{"annotations":{"managedFields":[1]}}}' },
    { name: "deeper in the spec", json: '{"spec":{"metadata":{"managedFields":[1]}},"metadata":{}}' },
    { name: "at the top", json: '{"managedFields":[1],"metadata":{}}' },
    { name: "as a value", json: '{"metadata":{"a":"managedFields","b":[1]}}' },
    { name: "metadata in a list", json: '{"metadata":[{"managedFields":[1]}]}' },
    { name: "name ends alike", json: '{"metadata":{"x\\"managedFields":[1]}}' },
    { name: "cut off", json: '{"metadata":{"managedFields":[1,{"a"' },
    { name: "not JSON", json: '"managedFields"}}}{{{metadata' },
  ])("leaves all as it is: $name", ({ json }) => {
    expect(textOfItem(bytesOf(json))).toBe(json);
  });

  test("throws on bytes that are not UTF-8 rather than guess at them", () => {
    expect(() => textOfItem(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))).toThrow(TypeError);
  });
});

test("textOfEvent() cuts only in the metadata of the event's object", () => {
  const event =
    '{"type":"ADDED","metadata":{"managedFields":1},"object":{"metadata":{"managedFields":[{}],"name":"a"}}}';
  expect(textOfEvent(bytesOf(event))).toBe(
    '{"type":"ADDED","metadata":{"managedFields":1},"object":{"metadata":{"name":"a"}}}',
  );
});

describe("further members", () => {
  const cutter = new MemberCutter(["spec.containers", "spec.volumes", "status"]);

  test.each([
    { name: "neighbours at the end", json: '{"spec":{"a":1,"containers":[],"volumes":[]}}', cut: '{"spec":{"a":1}}' },
    { name: "neighbours at the start", json: '{"spec":{"volumes":[],"containers":[],"a":1}}', cut: '{"spec":{"a":1}}' },
    { name: "around one that stays", json: '{"spec":{"volumes":[],"a":1,"containers":[]}}', cut: '{"spec":{"a":1}}' },
    { name: "nothing else", json: '{"spec":{"volumes":[],"containers":[]},"status":{}}', cut: '{"spec":{}}' },
    { name: "written twice", json: '{"status":1,"spec":{"volumes":1,"volumes":2},"status":2}', cut: '{"spec":{}}' },
    { name: "with managedFields", json: '{"metadata":{"managedFields":[]},"status":{}}', cut: '{"metadata":{}}' },
    { name: "a way that ends early", json: '{"spec":7,"status":[1,{"status":2}],"a":{}}', cut: '{"spec":7,"a":{}}' },
  ])("are cut out: $name", ({ json, cut }) => {
    expect(cutter.textOfItem(bytesOf(json))).toBe(cut);
  });

  test("leave the bytes as they were, which others may read too", () => {
    const bytes = bytesOf('{"spec":{"a":1,"containers":[]}}');
    cutter.textOfItem(bytes);
    expect(bytes).toEqual(bytesOf('{"spec":{"a":1,"containers":[]}}'));
  });

  test("may be longer than the memory that is kept, and what comes next is read as well", () => {
    const long = `{"spec":{"containers":[],"a":"${"é".repeat(300_000)}"}}`;
    expect(cutter.textOfItem(bytesOf(long))).toBe(long.replace('"containers":[],', ""));
    expect(cutter.textOfItem(bytesOf('{"status":1,"b":2}'))).toBe('{"b":2}');
  });

  test("cutting a branch cuts all that its own branches would", () => {
    expect(new MemberCutter(["spec", "spec.a"]).textOfItem(bytesOf('{"spec":{"b":1}}'))).toBe("{}");
  });
});

/** Node 24 and 26 misread keys after one that ends in a backslash (nodejs/node#63785); that is not what is asked here. */
const name = (arbitrary: fc.Arbitrary<string>) => arbitrary.filter((text) => !text.endsWith("\\"));

/** Names and strings that look like what is searched for. */
const decoy = fc.constantFrom(
  '"managedFields":',
  "managedFields",
  '\\"managedFields\\":[',
  "metadata",
  "object",
  '"}]',
  "],",
  "[",
  "\\",
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(decoy, fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name(fc.oneof(decoy, fc.string())), tie("value"), { maxKeys: 4 }),
  ),
})).value;
const membersAround = (wantedName: string, inner: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc
    .tuple(fc.array(fc.tuple(name(fc.oneof(decoy, fc.string())), value), { maxLength: 3 }), inner, fc.nat(3))
    .map(([members, wanted, place]) => Object.fromEntries(members.toSpliced(place, 0, [wantedName, wanted])));
const anObject = membersAround("metadata", fc.oneof(membersAround("managedFields", value), value));
const anIndent = fc.constantFrom(undefined, 2, "\t");

function withoutManagedFields(object: unknown): unknown {
  if (!isMembers(object) || !isMembers(object.metadata)) return object;
  const { managedFields: _cut, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

test("cutting before parsing is the same as parsing and deleting, for any JSON", () => {
  fc.assert(
    fc.property(anObject, anIndent, (object, indent) => {
      const json = JSON.stringify(object, undefined, indent);
      expect(JSON.parse(textOfItem(bytesOf(json)))).toEqual(withoutManagedFields(JSON.parse(json)));
    }),
    { numRuns: 500 },
  );
});

test("cutting any members before parsing is the same as parsing and deleting, for any JSON", () => {
  const names = fc.constantFrom("a", "b", "metadata", "managedFields");
  const paths = fc.array(fc.array(names, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
  const members = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.oneof(fc.integer(), decoy),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(names, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(members, paths, anIndent, (object, ways, indent) => {
      const json = JSON.stringify(object, undefined, indent);
      const cutter = new MemberCutter(ways.map((way) => way.join(".")));
      const expected = [["metadata", "managedFields"], ...ways].reduce(withoutMember, JSON.parse(json));
      expect(JSON.parse(cutter.textOfItem(bytesOf(json)))).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
});

function withoutMember(value: unknown, [name = "", ...rest]: readonly string[]): unknown {
  if (!isMembers(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...others, [name]: withoutMember(member, rest) };
}

test("cutting in an event before parsing is the same as parsing and deleting, for any JSON", () => {
  fc.assert(
    fc.property(membersAround("object", anObject), anIndent, (event, indent) => {
      const json = JSON.stringify(event, undefined, indent);
      const expected = JSON.parse(json) as { object: unknown };
      expect(JSON.parse(textOfEvent(bytesOf(json)))).toEqual({
        ...expected,
        object: withoutManagedFields(expected.object),
      });
    }),
    { numRuns: 500 },
  );
});

test("bytes that are no JSON at all are never the cause of an endless search", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('"', "{", "}", "[", "]", ":", ",", "\\", "metadata", '"managedFields"', " ")),
      (parts) => {
        expect(typeof textOfItem(bytesOf(`{"metadata":{${parts.join("")}`))).toBe("string");
      },
    ),
  );
});

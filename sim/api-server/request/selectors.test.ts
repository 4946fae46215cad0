// Selectors of queries: what they choose, and the words of a real server for what it cannot read (recorded from 1.35).
import { describe, expect, test } from "vitest";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";

const pods = "/api/v1/namespaces/default/pods";
const { transport } = aServer({ builtIn: builtInKinds() });

async function refusal(kind: string, text: string): Promise<unknown> {
  const { status, body } = await call(transport, "GET", `${pods}?${kind}=${encodeURIComponent(text)}`);
  return status === 200 ? undefined : body.message;
}

const unread = "unable to parse requirement: ";
const part = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;

describe("label selectors", () => {
  test.each([
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    ["a in (b", `${unread}found '', expected: ',' or ')'`],
    ["a in b", `${unread}found 'b' expected: '('`],
    ["a in(b c)", `${unread}found 'c', expected: ',' or ')'`],
    ["a in (b))", "found ')', expected: ',' or 'end of string'"],
    ["a in (b),", "found '', expected: identifier after ','"],
    ["a nin (b)", `${unread}found 'nin', expected: in, notin, =, ==, !=, gt, lt`],
    ["a,,b", "found ',', expected: identifier after ','"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a===b", `${unread}found '=', expected: identifier`],
    ["a=!b", `${unread}found '!', expected: identifier`],
    ["a>x", `${unread}values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`],
    ["a<", `${unread}values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer`],
    ["-a", `${unread}<nil>: Invalid value: "-a": ${part}`],
  ])("%s is refused", async (text, message) => {
    expect(await refusal("labelSelector", text)).toBe(message);
  });

  test.each(["a in ()", "a in (b,,c)", "a notin (,b)", "in in (in)", "a>1", "a!=b,!c"])("%s is read", async (text) => {
    expect(await refusal("labelSelector", text)).toBeUndefined();
  });
});

describe("field selectors", () => {
  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["metadata.name in (a)", "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"],
    ["=a", "field label not supported: "],
    ["!metadata.name=a", "field label not supported: !metadata.name"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
  ])("%s is refused", async (text, message) => {
    expect(await refusal("fieldSelector", text)).toBe(message);
  });

  test.each(["metadata.name=a,", "metadata.name=a\\,b", "metadata.name==a"])("%s is read", async (text) => {
    expect(await refusal("fieldSelector", text)).toBeUndefined();
  });
});

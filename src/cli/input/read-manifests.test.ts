import { describe, expect, test } from "vitest";
import { readManifests } from "./read-manifests.ts";

const names = (text: string) =>
  readManifests("f.yaml", text).objects.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`);
const trouble = (text: string) =>
  readManifests("f.yaml", text).problems.map(({ path, message }) => `${path}: ${message}`);

describe("what people keep in files", () => {
  test.each<readonly [string, string, readonly string[]]>([
    ["one document", "apiVersion: v1\nkind: Node\n", ["v1 Node"]],
    [
      "many documents, some empty",
      "---\napiVersion: v1\nkind: A\n---\n---\napiVersion: v1\nkind: B\n",
      ["v1 A", "v1 B"],
    ],
    ["JSON", '{"apiVersion":"v1","kind":"Node"}', ["v1 Node"]],
    [
      "a list",
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: B}",
      ["v1 A", "v1 B"],
    ],
    ["a list whose items do not say what they are", '{"apiVersion":"v1","kind":"NodeList","items":[{}]}', ["v1 Node"]],
    ["nothing", "", []],
    ["comments", "# nothing here\n", []],
  ])("%s", (_, text, expected) => {
    expect(names(text)).toEqual(expected);
    expect(trouble(text)).toEqual([]);
  });
});

describe("what is wrong is told with its place, and the rest is read", () => {
  test("broken YAML", () => {
    const text = "apiVersion: v1\nkind: A\n---\na: [1\nb: 2\n";
    expect(names(text)).toEqual(["v1 A"]);
    expect(trouble(text)).toEqual([expect.stringMatching(/^f\.yaml:5:1: /)]);
  });

  test.each<readonly [string, string, string]>([
    ["no object", "- a\n", "f.yaml: holds a document that is no object"],
    ["no kind", "a: 1\n", "f.yaml: holds an object without apiVersion and kind"],
    ["JSON that breaks off", '{"apiVersion":"v1",', "f.yaml:1"],
  ])("%s", (_, text, message) => {
    expect(trouble(text)).toEqual([expect.stringContaining(message)]);
  });

  test("a billion laughs", () => {
    const lol = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (let level = 0; level < 8; level++) {
      const [from, to] = [String.fromCharCode(97 + level), String.fromCharCode(98 + level)];
      lol.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(",")}]`);
    }
    expect(trouble(lol.join("\n"))).toEqual([expect.stringContaining("Excessive alias count")]);
  });
});

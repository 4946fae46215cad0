import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { CONFIG_TEXT_BYTES_MAX, textIn } from "./config-text.ts";

const metadata = { name: "files" };
const long = "a".repeat(CONFIG_TEXT_BYTES_MAX);

test.each<readonly [string, JsonObject, string]>([
  ["no data at all", {}, 'ConfigMap "files" has nothing under the key dockerfile; add it'],
  ["another key", { data: { Dockerfile: "FROM a" } }, "has nothing under the key dockerfile"],
  ["data that is no map", { data: "FROM a" }, "has nothing under the key dockerfile"],
  ["bytes", { binaryData: { dockerfile: "RlJPTSBh" } }, "has dockerfile as binaryData; write it as data"],
  ["white space", { data: { dockerfile: " \n" } }, "has an empty dockerfile; fill it in"],
  ["too much", { data: { dockerfile: `${long}a` } }, "has 200001 bytes of dockerfile; at most 200000 can be used"],
  ["too many bytes of few characters", { data: { dockerfile: "€".repeat(66_667) } }, "has 200001 bytes"],
])("a ConfigMap with %s has no text", (_, content, because) => {
  expect(textIn({ metadata, ...content }, "dockerfile")).toEqual({
    is: "absent",
    because: expect.stringContaining(because),
  });
});

test.each(["FROM a\n", long, "__proto__"])("a ConfigMap has the text that it has", (text) => {
  expect(textIn({ metadata, data: { dockerfile: text } }, "dockerfile")).toEqual({ is: "present", text });
});

test("keys of every object are no texts", () => {
  expect(textIn({ metadata, data: {} }, "constructor").is).toBe("absent");
});

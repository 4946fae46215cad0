import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { build, sign } from "../testing/build-story.ts";
import { loaderModule, parsedModule } from "../testing/module-builders.ts";
import { buildRecipe, type Dockerfile, isOutdated, type Recipe, signRecipe } from "./build-recipe.ts";

const FROM = { text: "FROM a" };

function mappingOf(written: JsonObject, signing: JsonObject = {}) {
  const module = parsedModule(loaderModule({ build: { ...build, ...written }, sign: { ...sign, ...signing } }));
  const [mapping] = module.driver?.mappings ?? [];
  if (mapping?.build === undefined || mapping.sign === undefined) throw new Error("nothing is made");
  return { build: mapping.build, sign: mapping.sign };
}
const recipe = (written: JsonObject = {}, dockerfile: Dockerfile = FROM) =>
  buildRecipe(mappingOf(written).build, dockerfile);
const signed = (signing: JsonObject = {}, source: Recipe | undefined = recipe()) =>
  signRecipe(mappingOf({}, signing).sign, { recipe: source, image: "r.example.dev/a:1" });

describe("another recipe", () => {
  test.each<readonly [string, Recipe, Recipe]>([
    ["text of the Dockerfile", recipe(), recipe({}, { text: "FROM b" })],
    ["argument", recipe(), recipe({ buildArgs: [{ name: "DRIVER", value: "2" }] })],
    ["secret", recipe(), recipe({ secrets: [{ name: "token" }] })],
    ["ConfigMap, where that is all we know", recipe({}, { configMap: "a" }), recipe({}, { configMap: "b" })],
    ["key to sign with", signed(), signed({ keySecret: { name: "other" } })],
    ["file to sign", signed(), signed({ filesToSign: ["/opt/b.ko"] })],
    ["image to sign", signed(), signed({}, recipe({}, { text: "FROM b" }))],
  ])("comes of another %s", (_, before, after) => {
    expect(after).not.toBe(before);
  });

  test.each<readonly [string, JsonObject]>([
    ["deadline", { timeout: "2h" }],
    ["number of tries", { backoffLimit: 1 }],
    ["machine to build on", { selector: { disk: "ssd" } }],
    ["tag of kaniko", { kanikoParams: { tag: "debug" } }],
    ["name of the ConfigMap with the same text", { dockerfileConfigMap: { name: "other" } }],
  ])("does not come of another %s", (_, written) => {
    expect(recipe(written)).toBe(recipe());
  });
});

test.each<readonly [string, string | undefined, readonly Recipe[], boolean]>([
  ["what was not made here", undefined, ["text:a"], false],
  ["what is made by the same recipe", "text:a", ["text:a"], false],
  ["what any of several would make", "text:b", ["text:a", "text:b"], false],
  ["what none of several would make", "text:c", ["text:a", "text:b"], true],
  ["what nobody makes", "text:a", [], false],
  ["what was made before we could read its Dockerfile", "name:a", ["text:b"], false],
  ["what was made before that was taken from us", "text:a", ["name:b"], false],
])("%s is outdated or not", (_, was, recipes, expected) => {
  expect(isOutdated(was, recipes)).toBe(expected);
});

// The examples are what people copy first: each is valid, without a warning, and does what its first line says.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readManifests } from "../src/cli/input/read-manifests.ts";
import { kindOf } from "../src/cli/input/source.ts";
import { createKinds } from "../src/kinds/all-kinds.ts";

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".yaml"),
);
const kinds = createKinds();

describe.each(files)("%s", (file) => {
  const { objects, problems } = readManifests(file, readFileSync(`${import.meta.dirname}/${file}`, "utf8"));

  test("is taken as it is, without a warning", () => {
    expect(problems).toEqual([]);
    const ours = objects.filter((object) => kindOf(object, kinds) !== undefined);
    expect(ours).not.toEqual([]);
    const judged = ours.map((object) => kindOf(object, kinds)?.admit(object, undefined));
    expect(judged).toEqual(ours.map(() => ({ problems: [], warnings: [] })));
  });

  test("says in its first line what it is for", () => {
    expect(readFileSync(`${import.meta.dirname}/${file}`, "utf8")).toMatch(/^# \S.*[.]\n/);
  });
});

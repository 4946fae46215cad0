import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../tools/repository.ts";
import { PRODUCT_ENV, PRODUCT_FLAGS } from "./product.ts";

test("what is measured is what is shipped: the flags of Node and the environment are those of the image and the installation", () => {
  const read = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");
  const [entry = ""] = /^ENTRYPOINT .*$/m.exec(read("Dockerfile")) ?? [];
  const [options = ""] = /(?<=name: NODE_OPTIONS\n\s+value: ).*$/m.exec(read("deploy/farrier.yaml")) ?? [];
  const shipped = [...entry.matchAll(/"(--[^"]+)"/g)].map(([, flag]) => flag);
  // The memory of this machine is not that of the pod, whose limit in bytes stands in for its percentage.
  const without = (flags: readonly (string | undefined)[]) => flags.filter((flag) => !flag?.startsWith("--max-old-"));
  expect(without(PRODUCT_FLAGS)).toEqual(without([...shipped, ...options.split(" ")]));
  for (const [name, value] of Object.entries(PRODUCT_ENV)) {
    expect(read("deploy/farrier.yaml")).toMatch(new RegExp(`name: ${name}\\n\\s+value: "${value}"`));
  }
});

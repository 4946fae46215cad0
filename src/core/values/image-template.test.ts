import fc from "fast-check";
import { expect, test } from "vitest";
import type { Parsed } from "../decision/problem.ts";
import { parseKernelRelease } from "../kernel/kernel-release.ts";
import {
  type ImageSubject,
  type ImageTemplate,
  kernelValues,
  namesKernel,
  parseImageTemplate,
  renderImageTemplate,
} from "./image-template.ts";
import vectors from "./vectors/image-templates.json" with { type: "json" };

function subjectWith(release: string): ImageSubject {
  return { kernel: parseKernelRelease(release), moduleName: "gpu", moduleNamespace: "drivers" };
}

function outcome(parsed: Parsed<string>): string {
  return parsed.ok ? parsed.value : parsed.problems.map((problem) => problem.message).join("\n");
}

function rendered(text: string, release: string): string {
  const template = parseImageTemplate(text);
  return outcome(template.ok ? renderImageTemplate(template.value, subjectWith(release)) : template);
}

function templateOf(text: string): ImageTemplate {
  const parsed = parseImageTemplate(text);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.value;
}

test.each(vectors)(
  "an image template $group: $template and kernel $kernel",
  ({ template, kernel, outcome: expected }) => {
    expect(rendered(template, kernel)).toBe(expected);
  },
);

test("renderImageTemplate() does not read a value again", () => {
  const subject = { ...subjectWith("5.4.0"), moduleName: "$KERNEL_X" };
  const image = renderImageTemplate(templateOf("a:$MOD_NAME"), subject, "spec.image");
  expect(image).toMatchObject({ ok: false, problems: [{ path: "spec.image" }] });
  expect(outcome(image)).toMatch(/^image "a:\$KERNEL_X": tag/);
});

test("parseImageTemplate() refuses a megabyte without repeating it, and names the path", () => {
  const parsed = parseImageTemplate("${".repeat(1 << 19), "spec.image");
  expect(parsed).toMatchObject({ ok: false, problems: [{ path: "spec.image" }] });
  expect(rendered("$".repeat(1 << 20), "5.4.0")).toMatch(/^image ".{80}…": has 1048576 characters; at most 2048 are/);
});

test.each([
  ["a:$KERNEL_X", true],
  ["a:$KERNEL_FULL_VERSION", true],
  ["a:$MOD_NAME", false],
  ["a:KERNEL_X", false],
  ["a:$$KERNEL_X", false],
])("namesKernel() tells whether %s differs from kernel to kernel: %s", (text, expected) => {
  expect(namesKernel(templateOf(text))).toBe(expected);
});

test("parseImageTemplate() and renderImageTemplate() never throw", () => {
  const piece = fc.constantFrom("a", ":", "/", "$", "{", "}", "KERNEL_X", "MOD_NAME", "\ud800", " ");
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const release = fc.oneof(fc.constantFrom("5.4", "5.4.0-66-generic", ""), fc.string());
  fc.assert(
    fc.property(text, release, (template, kernel) => {
      expect(rendered(template, kernel)).toBeTypeOf("string");
    }),
    { numRuns: 500 },
  );
});

test("kernelValues() gives what an image reads of the kernel, and nothing else", () => {
  expect(kernelValues(templateOf("a/$MOD_NAME:$KERNEL_X-$KERNEL_Y"), subjectWith("5.14.0-1"))).toEqual(["5", "14"]);
  expect(kernelValues(templateOf("a:1"), subjectWith("5.14.0-1"))).toEqual([]);
  expect(kernelValues(templateOf("a:$KERNEL_XYZ"), subjectWith("corrupted"))).toBeUndefined();
});

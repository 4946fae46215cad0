// An image as a field of our kinds: a template over the kernel, checked as the reference that it will become on a kernel.

import type { Parsed } from "../../core/decision/problem.ts";
import { parseKernelRelease } from "../../core/kernel/kernel-release.ts";
import { parseImageReference } from "../../core/values/image-reference.ts";
import { type ImageTemplate, parseImageTemplate, renderImageTemplate } from "../../core/values/image-template.ts";
import { quoted } from "../../core/values/shown.ts";
import { problem } from "./admission.ts";

/** Any kernel does: the variables of an image give texts of one alphabet. */
const SAMPLE_KERNEL = "5.14.0-427.13.1.el9_4.x86_64";

export type ImageOwner = { readonly name: string; readonly namespace: string };

/** Parses an image template and checks the image it gives; whether a tag or digest is a must is the caller's choice. */
export function parseImageField(
  text: string,
  owner: ImageOwner,
  { path, needsTag }: { readonly path: string; readonly needsTag: boolean },
): Parsed<ImageTemplate> {
  const template = parseImageTemplate(text, path);
  if (!template.ok) return template;
  const subject = {
    kernel: parseKernelRelease(SAMPLE_KERNEL),
    moduleName: owner.name || "name",
    moduleNamespace: owner.namespace || "namespace",
  };
  const image = renderImageTemplate(template.value, subject, path);
  if (!image.ok) return image;
  const reference = parseImageReference(image.value, path);
  if (!reference.ok) return reference;
  const { tag, digest } = reference.value;
  if (!needsTag || tag !== undefined || digest !== undefined) return template;
  const message = `image ${quoted(text)} has neither tag nor digest; add one, or every pull may bring something else`;
  return { ok: false, problems: problem(path, message) };
}

// Image references with variables, `quay.io/org/kmod:${KERNEL_FULL_VERSION}`: checked when they are written, filled in per
// kernel. The variables and their values are those of kernel-module-management, so that existing manifests keep their tags.
import { type Fact, isUnknown } from "../decision/fact.ts";
import type { Parsed } from "../decision/problem.ts";
import type { KernelRelease } from "../kernel/kernel-release.ts";
import { normalisedText } from "../labels/safe-label-value.ts";
import { parseImageReference } from "./image-reference.ts";
import { quoted } from "./shown.ts";

export const TEMPLATE_LENGTH_MAX = 2048;

const VARIABLES = [
  "KERNEL_FULL_VERSION",
  "KERNEL_VERSION",
  "KERNEL_XYZ",
  "KERNEL_X",
  "KERNEL_Y",
  "KERNEL_Z",
  "MOD_NAME",
  "MOD_NAMESPACE",
] as const;

export type ImageVariable = (typeof VARIABLES)[number];

export type ImageTemplate = {
  readonly text: string;
  /** The text in pieces: what stands for itself, and the variables between. */
  readonly pieces: readonly (string | { readonly variable: ImageVariable })[];
};

/** What the variables stand for. */
export type ImageSubject = {
  readonly kernel: Fact<KernelRelease>;
  readonly moduleName: string;
  readonly moduleNamespace: string;
};

/** A variable in braces or bare, two dollar signs for one, or a dollar sign that is none of them. */
const DOLLAR = /\$(?:\$|\{([^{}]*)\}|([A-Za-z_]\w*)|)/g;

/** Checks a template and takes it apart; an unknown variable is refused by name. Never throws. */
export function parseImageTemplate(text: string, path = "image"): Parsed<ImageTemplate> {
  const refuse = (message: string): Parsed<ImageTemplate> => {
    return { ok: false, problems: [{ path, message: `image ${quoted(text)}${message}` }] };
  };
  if (text === "") return refuse(": must not be empty");
  if (text.length > TEMPLATE_LENGTH_MAX)
    return refuse(`: has ${text.length} characters; at most ${TEMPLATE_LENGTH_MAX} are allowed`);
  const pieces: ImageTemplate["pieces"][number][] = [];
  let end = 0;
  for (const match of text.matchAll(DOLLAR)) {
    const [token, braced, bare] = match;
    const name = braced ?? bare;
    if (token !== "$$" && !isVariable(name))
      return refuse(`, character ${match.index + 1}: ${faultOf(name, text[match.index + 1])}`);
    pieces.push(text.slice(end, match.index), isVariable(name) ? { variable: name } : "$");
    end = match.index + token.length;
  }
  pieces.push(text.slice(end));
  return { ok: true, value: { text, pieces: pieces.filter((piece) => piece !== "") } };
}

/** True if the image differs from kernel to kernel. */
export function namesKernel(template: ImageTemplate): boolean {
  return template.pieces.some((piece) => typeof piece === "object" && piece.variable.startsWith("KERNEL_"));
}

/** The values of the kernel's variables, in their order: nodes that agree in them get the same image. Undefined if one has no value. */
export function kernelValues(template: ImageTemplate, subject: ImageSubject): readonly string[] | undefined {
  const values: string[] = [];
  for (const piece of template.pieces) {
    if (typeof piece === "string" || !piece.variable.startsWith("KERNEL_")) continue;
    const value = variableText(piece.variable, subject);
    if (typeof value === "object") return undefined;
    values.push(value);
  }
  return values;
}

/** Fills in the variables and checks that the outcome is an image reference; never throws. */
export function renderImageTemplate(template: ImageTemplate, subject: ImageSubject, path = "image"): Parsed<string> {
  let image = "";
  for (const piece of template.pieces) {
    const value = typeof piece === "string" ? piece : variableText(piece.variable, subject);
    if (typeof value === "object") {
      return { ok: false, problems: [{ path, message: `image ${quoted(template.text)}: ${value.missing}` }] };
    }
    image += value;
  }
  const reference = parseImageReference(image, path);
  return reference.ok ? { ok: true, value: image } : reference;
}

function isVariable(name: string | undefined): name is ImageVariable {
  return VARIABLES.some((variable) => variable === name);
}

function faultOf(name: string | undefined, next: string | undefined): string {
  const known = `the variables are ${VARIABLES.join(", ")}`;
  if (name !== undefined) return `there is no variable ${quoted(name)}; ${known}`;
  if (next === "{") return `\${ has no closing }; ${known}`;
  return "a dollar sign that stands for itself is written $$";
}

type VariableText = string | { readonly missing: string };

/** The text for a variable, or why this subject has none. */
function variableText(variable: ImageVariable, subject: ImageSubject): VariableText {
  switch (variable) {
    case "KERNEL_FULL_VERSION":
    case "KERNEL_VERSION":
      return tagText(variable, subject.kernel);
    case "KERNEL_XYZ":
      return versionText(variable, subject.kernel, { from: 0, to: 3 });
    case "KERNEL_X":
      return versionText(variable, subject.kernel, { from: 0, to: 1 });
    case "KERNEL_Y":
      return versionText(variable, subject.kernel, { from: 1, to: 2 });
    case "KERNEL_Z":
      return versionText(variable, subject.kernel, { from: 2, to: 3 });
    case "MOD_NAME":
      return subject.moduleName;
    case "MOD_NAMESPACE":
      return subject.moduleNamespace;
  }
}

/**
 * A release as a part of a tag: one trailing + is dropped, and every other character that a tag cannot hold becomes _. Two
 * kernels may share a tag (6.5.0 and 6.5.0+), because the author of the image chose it; our own labels never do.
 */
function tagText(variable: ImageVariable, kernel: Fact<KernelRelease>): VariableText {
  if (isUnknown(kernel) && kernel.raw === "") return missing(variable, kernel.unknown);
  return normalisedText(kernel.raw.replace(/\+$/, ""));
}

function versionText(
  variable: ImageVariable,
  kernel: Fact<KernelRelease>,
  { from, to }: { readonly from: number; readonly to: number },
): VariableText {
  if (isUnknown(kernel)) return missing(variable, kernel.unknown);
  const parts = kernel.version.split(".");
  if (parts.length >= to) return parts.slice(from, to).join(".");
  return missing(variable, `kernel ${quoted(kernel.raw)} has only ${parts.length} numeric parts`);
}

function missing(variable: ImageVariable, because: string): VariableText {
  return { missing: `\${${variable}} has no value: ${because}` };
}

// The Dockerfile that signs: it takes the unsigned image by its digest, signs the files in a stage that has the tool, and puts them
// back. Keys are mounted for the one command that needs them and are in no layer.

import type { Parsed } from "../../../core/decision/problem.ts";
import { parseImageTemplate } from "../../../core/values/image-template.ts";
import { quoted } from "../../../core/values/shown.ts";
import { problem } from "../../schema/admission.ts";
import type { OrderSubject } from "./build-order.ts";

/** Annotations of a pod, of which this is one, hold 256 KiB together. */
export const SIGN_DOCKERFILE_LENGTH_MAX = 128 * 1024;
/** Where the keys are, by the secrets' places. */
export const KEY_FILE = "/run/secrets/key/key";
export const CERT_FILE = "/run/secrets/cert/cert";

/** Nothing that a Dockerfile or a shell reads as something else; patterns are meant. */
const PLAIN_PATH = /^\/[\w./*?[\]+@:,=~^% -]*$/;

export type SignSources = {
  /** With its digest. */
  readonly unsignedImage: string;
  readonly signerImage: string;
  /** Paths and patterns of a shell, with variables. */
  readonly files: readonly string[];
};

/** The text; a problem where the files cannot be named in one. Never throws. */
export function signDockerfile(subject: OrderSubject, sources: SignSources): Parsed<string> {
  const files: string[] = [];
  for (const file of sources.files) {
    const filled = filledPath(file, subject);
    if (!filled.ok) return filled;
    files.push(filled.value);
  }
  const folder = commonFolder(files);
  if (folder === "/") return refused("have no folder in common; put them below one");
  const mounts = [
    `--mount=type=secret,id=key,target=${KEY_FILE}`,
    `--mount=type=secret,id=cert,target=${CERT_FILE}`,
  ].join(" ");
  // A pattern that nothing matches stays as it is, and no such file is there: signing nothing must not pass for success.
  const sign = `for file in ${files.map(shellPattern).join(" ")}; do sign-file sha256 ${KEY_FILE} ${CERT_FILE} "$file" || exit 1; done`;
  const lines = [
    `FROM ${sources.unsignedImage} AS unsigned`,
    `FROM ${sources.signerImage} AS signer`,
    `COPY --from=unsigned ${JSON.stringify([folder, folder])}`,
    `RUN ${mounts} ${sign}`,
    "FROM unsigned",
    `COPY --from=signer ${JSON.stringify([folder, folder])}`,
  ];
  const text = `${lines.join("\n")}\n`;
  return text.length <= SIGN_DOCKERFILE_LENGTH_MAX ? { ok: true, value: text } : refused("are too many; use patterns");
}

/** The path with its variables filled in: those of images, but the kernel letter by letter, as folders are called. */
function filledPath(file: string, { kernel, module }: OrderSubject): Parsed<string> {
  const template = parseImageTemplate(file, "filesToSign");
  if (!template.ok) return template;
  const [xyz = kernel, x = kernel, y = "", z = ""] = /^(\d+)\.(\d+)\.(\d+)/.exec(kernel) ?? [];
  const values = {
    ...{ KERNEL_FULL_VERSION: kernel, KERNEL_VERSION: kernel, KERNEL_XYZ: xyz },
    ...{ KERNEL_X: x, KERNEL_Y: y, KERNEL_Z: z, MOD_NAME: module.name, MOD_NAMESPACE: module.namespace },
  };
  const value = template.value.pieces
    .map((piece) => (typeof piece === "string" ? piece : values[piece.variable]))
    .join("");
  if (!PLAIN_PATH.test(value))
    return refused(`hold ${quoted(value)}: letters, digits and ._-+@:,=~^% may be in a path`);
  return value.split("/").includes("..") ? refused(`hold ${quoted(value)}, which leads up`) : { ok: true, value };
}

/** The longest folder that holds all files, as far as it is named without patterns. */
function commonFolder(files: readonly string[]): string {
  const folders = files.map((file) =>
    file
      .replace(/[*?[].*$/s, "")
      .replace(/[^/]*$/, "")
      .split("/")
      .slice(1, -1),
  );
  const [first = [], ...others] = folders;
  const isShared = (part: string, at: number) => others.every((parts) => parts[at] === part);
  const end = first.findIndex((part, at) => !isShared(part, at));
  return `/${first.slice(0, end === -1 ? undefined : end).join("/")}`;
}

/** For a shell: patterns mean what they mean there, everything else stands for itself. */
function shellPattern(file: string): string {
  return file
    .split(/([*?[\]])/)
    .map((part, index) => (index % 2 === 1 || part === "" ? part : `'${part}'`))
    .join("");
}

function refused(message: string): Parsed<string> {
  return { ok: false, problems: problem("filesToSign", message) };
}

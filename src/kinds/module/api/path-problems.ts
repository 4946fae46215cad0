// Paths and arguments of a driver that end up in commands on the node or in a build: no way out of the image, no lines of
// one's own, nothing that could be read as something else.
import type { Problem } from "../../../core/decision/problem.ts";
import { quoted } from "../../../core/values/shown.ts";
import { problem } from "../../schema/admission.ts";
import type { Driver, Modprobe, ModprobeCall } from "./spec.ts";

/** A control character ends a line or a text somewhere, and no path or argument needs one. */
const CONTROL = /\p{Cc}/u;
const place = "spec.moduleLoader.container";

/** Lists what is wrong with the paths and arguments of a driver. */
export function pathProblems({ container, mappings }: Driver): readonly Problem[] {
  const modprobe = container.by === "farrier" ? container.modprobe : undefined;
  return [
    ...(modprobe === undefined ? [] : modprobeProblems(modprobe)),
    ...mappings.flatMap(({ place: mapping, sign }) => {
      if (sign === undefined) return [];
      const path = `${mapping}.sign.filesToSign`;
      if (sign.files.length === 0) return problem(path, "is required with sign: name the files to sign");
      return sign.files.flatMap((file) => signedFileProblems(file, modprobe?.dirName, path));
    }),
  ];
}

function modprobeProblems({ load, unload, dirName, firmwarePath, loadingOrder }: Modprobe): readonly Problem[] {
  const path = `${place}.modprobe`;
  const args = [...argsOf(load), ...argsOf(unload)];
  const names = loadingOrder.map((name) => name.replaceAll("-", "_"));
  const doubled = loadingOrder.filter((_, index) => names.indexOf(names[index] ?? "") < index);
  return [
    ...pathFaults(dirName, `${path}.dirName`),
    ...(firmwarePath === undefined ? [] : pathFaults(firmwarePath, `${path}.firmwarePath`)),
    ...args
      .filter((arg) => CONTROL.test(arg))
      .flatMap((arg) => problem(path, `argument ${quoted(arg)} holds a control character`)),
    ...doubled.flatMap((name) =>
      problem(`${path}.modulesLoadingOrder`, `names ${quoted(name)} twice; keep one of the two`),
    ),
  ];
}

function argsOf(call: ModprobeCall): readonly string[] {
  return call.kind === "raw" ? call.args : [...(call.args ?? []), ...call.parameters];
}

function pathFaults(path: string, at: string): readonly Problem[] {
  if (CONTROL.test(path)) return problem(at, `${quoted(path)} holds a control character`);
  if (path.split("/").includes("..")) return problem(at, `${quoted(path)} must not lead up with ..`);
  return [];
}

function signedFileProblems(file: string, dirName: string | undefined, at: string): readonly Problem[] {
  const root = dirName === undefined ? "/" : `${dirName.replace(/\/+$/, "")}/`;
  const faults = pathFaults(file, at);
  if (faults.length > 0 || file.startsWith(root)) return faults;
  const where = dirName === undefined ? "be an absolute path" : `lie below modprobe.dirName (${dirName})`;
  return problem(at, `${quoted(file)} must ${where}`);
}

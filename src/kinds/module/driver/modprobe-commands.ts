// What the loader's container runs when it starts and when it ends: KMM's command lines, so that existing images and arguments
// mean what they meant.
import type { Modprobe, ModprobeCall } from "../api/spec.ts";

/** Where firmware goes on the node, and where the loader sees it. */
export const FIRMWARE_DIR = "/var/lib/firmware";

/**
 * Loads the driver: away with modules of the kernel that are in its way, firmware to its place, then modprobe.
 * Arguments are joined by blanks and not quoted: authors of KMM manifests count on the shell taking them apart.
 */
export function loadCommand({ load, dirName, firmwarePath }: Modprobe, inTree: readonly string[]): string {
  const firmware = firmwarePath === undefined ? [] : [`cp -r ${firmwarePath}/* ${FIRMWARE_DIR}`];
  return [...inTree.map(removalOf), ...firmware, callText(load, dirName, ["-v"])].join(" && ");
}

/** Unloads the driver, what was loaded for it in a given order, and its firmware. */
export function unloadCommand({ unload, dirName, firmwarePath, loadingOrder }: Modprobe): string {
  const others = unload.kind === "named" ? loadingOrder.slice(1) : [];
  const call = [callText(unload, dirName, ["-rv"]), ...others].join(" ");
  if (firmwarePath === undefined) return call;
  return `${call} && cd ${firmwarePath} && find . -type f -exec rm -f ${FIRMWARE_DIR}/{} \\;`;
}

/** The lines by which modprobe learns the order: each module needs the one behind it first. Undefined without an order. */
export function softDependencies({ loadingOrder }: Modprobe): string | undefined {
  if (loadingOrder.length < 2) return undefined;
  return loadingOrder
    .slice(0, -1)
    .map((name, index) => `softdep ${name} pre: ${loadingOrder[index + 1]}\n`)
    .join("");
}

/** A module that the kernel of this node does not have cannot be in the way; one that stays loaded can. */
function removalOf(name: string): string {
  return `{ modprobe -r ${name} || [ ! -d /sys/module/${name.replaceAll("-", "_")} ]; }`;
}

function callText(call: ModprobeCall, dirName: string, usual: readonly string[]): string {
  if (call.kind === "raw") return ["modprobe", ...call.args].join(" ");
  const { args = usual, moduleName, parameters } = call;
  return ["modprobe", ...args, "-d", dirName, moduleName, ...parameters].join(" ");
}

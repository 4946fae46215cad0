// json/, core/ and kinds/ only compute: nothing there waits.
import { type Finding, type Rule, type SourceFile, stop } from "../source-file.ts";
import { walk } from "../syntax-tree.ts";

const pureRooms = ["json", "core", "kinds"];
const waitingNames = /^(Promise|PromiseLike|queueMicrotask)$/;

/** Whether a file belongs to the rooms that only compute. */
export function isPure(file: SourceFile): boolean {
  return file.room !== undefined && pureRooms.includes(file.room.name) && !file.isTest;
}

/** Nothing in core/ or kinds/ is asynchronous, not even by name. */
export const noWaiting: Rule = (file) => {
  if (!isPure(file) || file.program === undefined) return [];
  const found: Finding[] = [];
  walk(file.program, (node, parent) => {
    const isName = node.type === "Identifier" && waitingNames.test(String(node.name));
    const isPropertyName = isName && (parent?.key === node || parent?.property === node) && parent.computed !== true;
    const waits = node.async === true || node.await === true || /^(Await|Import)Expression$/.test(node.type);
    if (!waits && (!isName || isPropertyName)) return;
    const remedy = "core/ and kinds/ only compute: let the caller wait";
    found.push(stop(file, node.start, "async", `is asynchronous; ${remedy}`));
  });
  return found;
};

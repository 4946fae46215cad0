// How much of the heap is in use once everything that nobody needs is gone.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects garbage and counts; what is freed by finalizers takes a second turn. */
export function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this runtime cannot be asked to collect garbage");
  for (let turn = 0; turn < 2; turn++) collect();
  return process.memoryUsage().heapUsed;
}

// V8, told that an operator is no computation: most of its functions run a few thousand times in a rollout, and to optimize each of them after 400
// calls costs more than it brings there (docs/decisions/0025).
import { setFlagsFromString } from "node:v8";

/** Calls of a function before it is optimized, quickly and thoroughly; 400 and 3,000 unless told. */
export const PATIENT_FLAGS: readonly string[] = [
  "--invocation-count-for-maglev=1500",
  "--invocation-count-for-turbofan=10000",
];

/** Lets V8 wait longer before it optimizes. A V8 that does not know the flags says so on standard error and goes on as it did. */
export function optimizeLater(): void {
  for (const flag of PATIENT_FLAGS) setFlagsFromString(flag);
}

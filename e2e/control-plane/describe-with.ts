// How a test file asks for the real control plane: where it is missing, the group is skipped under a name that says why.
import { describe } from "vitest";
import { type Binaries, controlPlaneAvailability } from "./binaries.ts";
import type { Needs } from "./programs.ts";

/** `describe` for tests on a real control plane; `body` gets the programs and starts a cluster in a `beforeAll`. */
export function describeWith(needs: Needs, name: string, body: (binaries: Binaries) => void): void {
  const answer = controlPlaneAvailability(needs);
  const title = answer.available ? name : `${name} (skipped: ${answer.reason}; ${answer.remedy})`;
  const binaries: Binaries = answer.available ? answer.binaries : new Map();
  describe.skipIf(!answer.available)(title, () => body(binaries));
}

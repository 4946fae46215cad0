// Digests as images and machines have them: hexadecimal, and unlike each other. Readers that take care of long numbers may
// stumble over one now and then, so made-up regular digits would flatter or hurt them.
import { createHash } from "node:crypto";

/** The SHA-256 of a number, in hexadecimal. */
export function digestOf(index: number): string {
  return createHash("sha256").update(String(index)).digest("hex");
}

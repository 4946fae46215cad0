// Names of the objects we make: functions of what the object is for, so that a second try, a second leader or an old
// cache arrives at the same name and meets AlreadyExists instead of making a twin.

import { CONTENT_HASH_CHARS, contentHash } from "./content-hash.ts";

/** How long a name may be: 63 where it also serves as a label value or a host name, 253 elsewhere. */
export type NameLimit = 63 | 253;

/**
 * `<prefix>-<hash>`: always a valid DNS-1123 label, never longer than the limit.
 * Guarantees: the same identity gives the same name; different identities give different names and nobody can choose two that meet (content-hash.ts).
 * Caveats: the prefix is for the reader only, and is cut and cleaned as needed.
 */
export function childName(prefix: string, identity: readonly string[], limit: NameLimit): string {
  // As JSON, so that ["a", "bc"] and ["ab", "c"] differ. The prefix counts too: it tells children of one identity apart.
  const hash = contentHash(JSON.stringify([prefix, ...identity]));
  const readable = withoutDashEnds(dnsSafe(prefix).slice(0, limit - CONTENT_HASH_CHARS - 1));
  return readable === "" ? hash : `${readable}-${hash}`;
}

/** Lower case, with a dash for everything a DNS label cannot hold, and none at the ends; may be empty or too long. */
export function dnsSafe(text: string): string {
  // Lower-cased last: some capitals outside ASCII have small letters inside it.
  return withoutDashEnds(text.replace(/[^A-Za-z0-9-]/gu, "-").toLowerCase());
}

function withoutDashEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charAt(start) === "-") start++;
  while (end > start && text.charAt(end - 1) === "-") end--;
  return text.slice(start, end);
}

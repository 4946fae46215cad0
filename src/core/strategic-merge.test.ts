import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "./json.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

type Vector = {
  readonly name: string;
  readonly original: Json;
  readonly patch: Json;
  readonly expected?: Json;
  readonly errorKind?: string;
};

/** What Kubernetes 1.32 and 1.33 gave for these inputs. */
const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL("./vectors/smp-vectors.json", import.meta.url), "utf8"),
);

function outcome(original: Json, patch: Json): { readonly value: Json } | { readonly errorKind: string } {
  try {
    return { value: strategicMerge(original, patch) };
  } catch (error) {
    if (error instanceof StrategicMergeError) return { errorKind: error.kind };
    throw error;
  }
}

describe("strategicMerge() gives what Kubernetes gives", () => {
  test("there are 1,101 cases", () => {
    expect(vectors).toHaveLength(1101);
  });

  test.each(vectors)("$name", ({ original, patch, expected, errorKind }) => {
    const wanted = errorKind === undefined ? { value: expected } : { errorKind };
    expect(outcome(original, patch)).toStrictEqual(wanted);
  });
});

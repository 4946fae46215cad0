// The recipe of an image: what its content follows from, as far as its author decides. Another recipe is a reason to make an image
// anew that is there; another builder, deadline or node to build on is none, so that an update of the operator rebuilds no fleet.

import { contentHash } from "../../../core/hash/content-hash.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import type { Build, Sign } from "../api/spec.ts";

/** An annotation of Jobs, and of the DaemonSets that run what they made. */
export const RECIPE = "module.farrier.dev/recipe";

/** A Dockerfile as far as it is known: by its text, or by the name of a ConfigMap that we may not read. */
export type Dockerfile = { readonly text: string } | { readonly configMap: string };

/** How it was worked out, and a hash. Recipes that were worked out in different ways tell nothing about each other. */
export type Recipe = `${"text" | "name"}:${string}`;

/** The recipe of a build. The kernel is no part of it: whichever kernel's build made an image that several share will do. */
export function buildRecipe({ args, secrets }: Build, dockerfile: Dockerfile): Recipe {
  const written = [...args].map(([...pair]) => pair);
  const hash = contentHash(canonicalJson({ dockerfile, args: written, secrets: [...secrets] }));
  return `${"text" in dockerfile ? "text" : "name"}:${hash}`;
}

/** The recipe of an image that is signed; it follows the one of what it is made from, or that one's name. */
export function signRecipe(
  sign: Sign,
  source: { readonly recipe: Recipe | undefined; readonly image: string },
): Recipe {
  const { keySecret, certSecret, files } = sign;
  const from = source.recipe ?? source.image;
  const hash = contentHash(canonicalJson({ from, keySecret, certSecret, files: [...files] }));
  return `${source.recipe?.startsWith("name:") === true ? "name" : "text"}:${hash}`;
}

/** Whether something made by a recipe is not what any of these would make. */
export function isOutdated(was: string | undefined, recipes: readonly Recipe[]): boolean {
  if (was === undefined || !recipes.some((recipe) => isComparable(was, recipe))) return false;
  return !recipes.some((recipe) => recipe === was);
}

/** Whether two recipes were worked out in the same way. */
export function isComparable(a: string, b: string): boolean {
  return a.slice(0, a.indexOf(":")) === b.slice(0, b.indexOf(":"));
}

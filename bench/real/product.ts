// The program as it is shipped: one file without types and with its packages, run with the flags that its Deployment gives it.
import { basename, join } from "node:path";
import { bundle } from "../../tools/bundle.ts";
import { repositoryRoot } from "../../tools/repository.ts";

/** As in deploy/farrier.yaml, with three quarters of its memory limit of 512 MiB in place of those of this machine. */
export const PRODUCT_FLAGS: readonly string[] = ["--max-semi-space-size=4", "--max-old-space-size=384"];
/** Also from there. Threads of Node that each keep memory of their own for malloc cost 10 MiB. */
export const PRODUCT_ENV: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" };

export type ProductForm = "as shipped" | "with a full registry";

const ENTRIES: Readonly<Record<ProductForm, string>> = {
  "as shipped": "src/main.ts",
  "with a full registry": "bench/real/operator-program.ts",
};

/** Makes the program and returns its path. */
export async function buildProduct(form: ProductForm): Promise<string> {
  const entry = ENTRIES[form];
  const outfile = join(
    repositoryRoot,
    "node_modules",
    ".cache",
    "farrier-bench",
    basename(entry).replace(".ts", ".mjs"),
  );
  await bundle(outfile, entry);
  return outfile;
}

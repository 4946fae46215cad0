// The program as it is shipped: one file without types, with the flags that its Deployment gives it.
import { basename, join } from "node:path";
import { bundle } from "../client/subjects.ts";

/** As in deploy/farrier.yaml, with three quarters of its memory limit of 512 MiB in place of those of this machine. */
export const PRODUCT_FLAGS: readonly string[] = ["--max-semi-space-size=8", "--max-old-space-size=384"];

export type ProductForm = "as shipped" | "with a full registry";

const ROOT = join(import.meta.dirname, "..", "..");
const ENTRIES: Readonly<Record<ProductForm, string>> = {
  "as shipped": "src/main.ts",
  "with a full registry": "bench/real/operator-program.ts",
};

/** Makes the program and returns its path, which lies where its packages are found. */
export async function buildProduct(form: ProductForm): Promise<string> {
  const entry = ENTRIES[form];
  const outfile = join(ROOT, "node_modules", ".cache", "farrier-bench", basename(entry).replace(".ts", ".mjs"));
  await bundle(join(ROOT, entry), outfile);
  return outfile;
}

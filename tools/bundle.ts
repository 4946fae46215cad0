// `npm run bundle`: the program as one file that needs nothing but Node, for images and for whoever wants to carry it along.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { repositoryRoot } from "./repository.ts";

/** Packages in the older form ask for Node's own modules with `require`, which a module of the newer form does not have. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Writes a program as one file, the operator's unless another is named, and returns its size in bytes. */
export async function bundle(outfile: string, entry = "src/main.ts"): Promise<number> {
  const { metafile } = await build({
    ...{ absWorkingDir: repositoryRoot, entryPoints: [entry], outfile },
    ...{ bundle: true, platform: "node", format: "esm", target: "node24", legalComments: "linked" },
    // Names stay, for whoever reads a stack; the text itself is kept in memory as long as the program runs.
    ...{ minifySyntax: true, minifyWhitespace: true },
    ...{ banner: { js: REQUIRE }, metafile: true, logLevel: "warning" },
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = await bundle("dist/farrier.mjs");
  console.log(`wrote dist/farrier.mjs (${Math.round(bytes / 1_000)} kB)`);
}

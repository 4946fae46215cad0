// `npm run bundle`: the program as one file that needs nothing but Node, for images and for whoever wants to carry it along.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { repositoryRoot } from "./repository.ts";

/** Packages in the older form ask for Node's own modules with `require`, which a module of the newer form does not have. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Writes the bundle and returns its size in bytes. */
export async function bundle(outfile: string): Promise<number> {
  const { metafile } = await build({
    ...{ absWorkingDir: repositoryRoot, entryPoints: ["src/main.ts"], outfile },
    ...{ bundle: true, platform: "node", format: "esm", target: "node24", minifySyntax: true, legalComments: "linked" },
    ...{ banner: { js: REQUIRE }, metafile: true, logLevel: "warning" },
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = await bundle("dist/farrier.mjs");
  console.log(`wrote dist/farrier.mjs (${Math.round(bytes / 1_000)} kB)`);
}

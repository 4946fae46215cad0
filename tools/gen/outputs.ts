// The generated files and what makes them: the one list that `npm run gen` writes and `npm test` checks.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../repository.ts";
import { generateCliPage } from "./cli-page.ts";
import { generateKinds } from "./crds.ts";
import { generateChart } from "./deploy/helm/chart.ts";
import { generateInstall } from "./deploy/install.ts";
import { generateMetricsPage } from "./metrics-page.ts";
import { generatePodTemplateSchema } from "./pod-template-schema.ts";
import { generateReasonsPage } from "./reasons-page.ts";

/** A file that a program writes: the path in the repository and the whole content. */
export type Output = { readonly path: string; readonly content: string };

function outputs(): readonly Output[] {
  return [
    ...[generatePodTemplateSchema(), generateReasonsPage(), generateCliPage(), generateMetricsPage()],
    ...[...generateKinds(), generateInstall(), ...generateChart()],
  ];
}

/** The paths whose content differs from what the generators say. */
export function staleFiles(): readonly string[] {
  return outputs()
    .filter((output) => !isFresh(output))
    .map((output) => output.path);
}

/** Writes the stale files and returns their paths. */
export function writeOutputs(): readonly string[] {
  const stale = outputs().filter((output) => !isFresh(output));
  for (const { path, content } of stale) {
    mkdirSync(dirname(join(repositoryRoot, path)), { recursive: true });
    writeFileSync(join(repositoryRoot, path), content);
  }
  return stale.map((output) => output.path);
}

function isFresh({ path, content }: Output): boolean {
  try {
    return readFileSync(join(repositoryRoot, path), "utf8") === content;
  } catch {
    return false;
  }
}

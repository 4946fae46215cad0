// The line coverage of the folders that promise one, from the summary that vitest writes.

/** One line of the summary: a file, or all of them. */
type Lines = { readonly lines: { readonly total: number; readonly covered: number } };

/** Folders that are told, and nothing above or below them. */
export const TOLD_FOLDERS: readonly string[] = [
  ...["src/core/", "src/kinds/module/", "src/kinds/variant-set/", "src/kinds/daemon-set/", "src/controllers/"],
  ...["src/kube/", "src/runtime/", "src/webhooks/", "src/cli/"],
];

/** `src/core/   99.8 % of 5,210 lines`, one for each folder that has files in the summary. */
export function coverageByFolder(summary: string): readonly string[] {
  const files: readonly (readonly [string, Lines])[] = Object.entries(JSON.parse(summary));
  return TOLD_FOLDERS.flatMap((folder) => {
    const inside = files.filter(([path]) => path.includes(`/${folder}`)).map(([, { lines }]) => lines);
    const total = inside.reduce((sum, lines) => sum + lines.total, 0);
    const covered = inside.reduce((sum, lines) => sum + lines.covered, 0);
    return total === 0 ? [] : [`${folder.padEnd(24)}${((100 * covered) / total).toFixed(1)} % of ${total} lines`];
  });
}

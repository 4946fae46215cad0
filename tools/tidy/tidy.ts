// The rules of the house, in one list, over the files of the repository.
import { noImportTimeEffects } from "./rules/import-time.ts";
import { importsCanBeRead, importsPointInward, noBarrels } from "./rules/imports.ts";
import { nodeStaysAtTheEdge, timeAndChanceComeIn } from "./rules/machine.ts";
import { noModuleState } from "./rules/module-state.ts";
import { declarationsAreNamedForConcepts, filesAreNamedForConcepts } from "./rules/names.ts";
import { noWaiting } from "./rules/purity.ts";
import { filesLieInRooms, filesParse } from "./rules/readable.ts";
import { filesStaySmall, foldersStaySmall, functionsFitAScreen } from "./rules/size.ts";
import { nothingIsSwitchedOff } from "./rules/switched-off.ts";
import { noMachinePaths, noRegistryHosts } from "./rules/traces.ts";
import { noCasts } from "./rules/types.ts";
import { roomsKeepTheirWords } from "./rules/words.ts";
import type { Finding, RepositoryRule, Rule, SourceFile } from "./source-file.ts";

export const rules = {
  "files parse": filesParse,
  "files of src/ lie in rooms": filesLieInRooms,
  "imports point towards the core": importsPointInward,
  "imports can be read": importsCanBeRead,
  "no barrels": noBarrels,
  "node: stays at the edge": nodeStaysAtTheEdge,
  "time and chance come in as arguments": timeAndChanceComeIn,
  "loading core and kinds has no effect": noImportTimeEffects,
  "core and kinds keep no state": noModuleState,
  "core and kinds do not wait": noWaiting,
  "rooms keep their words": roomsKeepTheirWords,
  "files are named for concepts": filesAreNamedForConcepts,
  "declarations are named for concepts": declarationsAreNamedForConcepts,
  "files stay small": filesStaySmall,
  "functions fit a screen": functionsFitAScreen,
  "types are earned": noCasts,
  "nothing is switched off": nothingIsSwitchedOff,
  "no registry hosts": noRegistryHosts,
  "no machine paths": noMachinePaths,
} satisfies Readonly<Record<string, Rule>>;

/** Rules that look at files together. */
export const repositoryRules = {
  "folders stay small": foldersStaySmall,
} satisfies Readonly<Record<string, RepositoryRule>>;

export type RuleName = keyof typeof rules;

/** What each rule has to say about the files, by rule. */
export function tidy(files: readonly SourceFile[]): ReadonlyMap<string, readonly Finding[]> {
  return new Map<string, readonly Finding[]>([
    ...Object.entries(rules).map(([name, rule]) => [name, files.flatMap((file) => rule(file))] as const),
    ...Object.entries(repositoryRules).map(([name, rule]) => [name, rule(files)] as const),
  ]);
}

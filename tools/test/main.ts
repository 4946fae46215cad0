// `npm test`: runs every group of checks that this machine can run and ends with one line that says how it went.
import { parseArgs } from "node:util";
import { type Group, groups } from "./groups.ts";
import { closingLine, single, skipLine, sum, type Tally } from "./tally.ts";

const names = groups.map((group) => group.name).join(", ");
const help = `Usage: npm test [-- OPTIONS]

Runs the checks below in order and ends with "N passed, N failed, N skipped".

${groups.map((group) => `  ${group.name.padEnd(10)} ${group.summary}${group.isSlow ? " (not in npm run ok)" : ""}`).join("\n")}

Options:
  --quick         leave out the slow groups (this is what npm run ok does)
  --only NAME     run one group; may be given more than once
  --coverage      print the line coverage of the unit tests
  --help          print this text

Environment:
  FARRIER_ORACLE_CASES, FARRIER_ORACLE_SEED   how many random cases the oracle group runs, and which
  FARRIER_RECORD=1                            record the contract anew from the real server

Examples:
  npm test
  npm run ok
  npm test -- --only tidy --only unit`;

function chooseGroups(): { readonly chosen: readonly Group[]; readonly hasCoverage: boolean } {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      coverage: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    process.exit(0);
  }
  const unknown = values.only.find((name) => !groups.some((group) => group.name === name));
  if (unknown !== undefined) throw new Error(`no group "${unknown}"; there are: ${names}`);
  const wanted = values.only.length > 0 ? groups.filter((group) => values.only.includes(group.name)) : groups;
  const chosen = wanted.filter((group) => !(values.quick && group.isSlow));
  if (chosen.length === 0) throw new Error("nothing to run: --quick leaves out every group that --only names");
  return { chosen, hasCoverage: values.coverage };
}

async function runGroup(group: Group, hasCoverage: boolean): Promise<Tally> {
  console.log(`\n== ${group.summary} (${group.name})`);
  const startedMs = performance.now();
  const tally = await group.run({ hasCoverage }).catch((error: unknown) => {
    console.error(error);
    return single(false);
  });
  for (const skip of tally.skips) console.log(skipLine(skip));
  console.log(`${group.name}: ${closingLine(tally)} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  return tally;
}

try {
  const { chosen, hasCoverage } = chooseGroups();
  const tallies: Tally[] = [];
  for (const group of chosen) tallies.push(await runGroup(group, hasCoverage));
  const total = sum(tallies);
  console.log(`\n${closingLine(total)}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
} catch (error) {
  console.error(`npm test: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

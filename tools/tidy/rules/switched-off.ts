// Checks are not switched off: no test is skipped for good or run alone, and no tool is silenced without a reason.
import { type Finding, type Rule, stop } from "../source-file.ts";
import { child, children, dottedName, propertyOf, type SyntaxNode, walk } from "../syntax-tree.ts";

const testFunctions = /^(test|it|describe|suite)\b/;
const switches = /^(skip|only|todo|fails)$/;

// The words are put together here, since this file is read by its own rule.
const silencedCompiler = new RegExp(`@ts-(${["ignore", "nocheck", "expect-error"].join("|")})`);
const suppression = new RegExp(`${["biome", "ignore"].join("-")}(-all|-start)?\\b([^\\n]*)`, "g");
/** A rule, a colon, and a reason of at least a few words. */
const withReason = /^\s+[\w/]+(\([^)]*\))?:\s*\w+\s+\w+/;

/** No test is skipped for good, run alone or put off, and no finding is silenced without a reason. */
export const nothingIsSwitchedOff: Rule = (file) => {
  if (file.program === undefined) return [];
  const found: Finding[] = [];
  const silenced = silencedCompiler.exec(file.text);
  if (silenced !== null)
    found.push(stop(file, silenced.index, "switched-off", `silences the compiler with ${silenced[0]}`));
  for (const match of file.text.matchAll(suppression))
    if (!withReason.test(match[2] ?? ""))
      found.push(
        stop(file, match.index, "switched-off", "silences the linter without a reason: write it after a colon"),
      );
  walk(file.program, (node) => {
    const word = switchOf(node);
    if (word === undefined) return;
    const remedy = "use skipIf with a condition, or remove the test";
    found.push(stop(file, node.start, "switched-off", `${word} switches tests off; ${remedy}`));
  });
  return found;
};

/** The switch that a node throws: `test.skip`, `test.each(rows).only`, `test(name, { skip: true }, f)`, `skipIf(true)`. */
function switchOf(node: SyntaxNode): string | undefined {
  if (node.type === "MemberExpression") {
    const isSwitch = switches.test(propertyOf(node) ?? "") && testFunctions.test(dottedName(node));
    return isSwitch ? dottedName(node) : undefined;
  }
  const callee = node.type === "CallExpression" ? child(node, "callee") : undefined;
  if (callee === undefined || !testFunctions.test(dottedName(callee))) return undefined;
  const given = children(node, "arguments");
  if (/^(skipIf|runIf)$/.test(propertyOf(callee) ?? "") && given[0]?.type === "Literal") return "a fixed condition";
  const option = given
    .flatMap((each) => children(each, "properties"))
    .find((each) => switches.test(String(child(each, "key")?.name)));
  return option === undefined ? undefined : `the option ${String(child(option, "key")?.name)}`;
}

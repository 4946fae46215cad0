// Types are earned, not claimed.
import { type Finding, type Rule, stop } from "../source-file.ts";
import { walk } from "../syntax-tree.ts";

/** `as` is for kube/, where bytes become objects; elsewhere a guard shows that the type holds. */
export const noCasts: Rule = (file) => {
  const found: Finding[] = [];
  if (file.program === undefined || file.isTest || !file.path.startsWith("src/") || file.room?.name === "kube")
    return found;
  walk(file.program, (node) => {
    if (
      !/^TS(AsExpression|TypeAssertion)$/.test(node.type) ||
      file.text.slice(node.start, node.end).endsWith("as const")
    )
      return;
    found.push(stop(file, node.start, "cast", 'claims a type with "as"; write a guard, or parse at the door'));
  });
  return found;
};

// Types are earned, not claimed, and tests are not switched off.
import { type Finding, type Rule, stop } from "../source-file.ts";
import { child, walk } from "../syntax-tree.ts";

/** `as` is for kube/, where bytes become objects; elsewhere a guard shows that the type holds. */
export const noCasts: Rule = (file) => {
  const found: Finding[] = [];
  if (file.program === undefined || file.isTest || !file.path.startsWith("src/") || file.room?.name === "kube")
    return found;
  walk(file.program, (node) => {
    if (node.type !== "TSAsExpression" || file.text.slice(node.start, node.end).endsWith("as const")) return;
    found.push(stop(file, node.start, "cast", 'claims a type with "as"; write a guard, or parse at the door'));
  });
  return found;
};

/** No test is skipped for good, run alone or put off, and no type error is silenced. */
export const nothingIsSwitchedOff: Rule = (file) => {
  const found: Finding[] = [];
  if (file.program === undefined) return found;
  const silenced = new RegExp(`@ts-(${["ignore", "nocheck", "expect-error"].join("|")})`).exec(file.text);
  if (silenced !== null)
    found.push(stop(file, silenced.index, "switched-off", `silences the compiler with ${silenced[0]}`));
  walk(file.program, (node) => {
    if (node.type !== "MemberExpression") return;
    const object = String(child(node, "object")?.name);
    const property = String(child(node, "property")?.name);
    if (!/^(test|it|describe)$/.test(object) || !/^(skip|only|todo)$/.test(property)) return;
    found.push(
      stop(
        file,
        node.start,
        "switched-off",
        `${object}.${property} switches tests off; use skipIf with a reason, or remove the test`,
      ),
    );
  });
  return found;
};

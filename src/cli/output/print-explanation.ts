// Why a node got what it got, as text: one block for each object, the verdicts of its rules in their order.
import { isUnknown } from "../../core/decision/fact.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { Verdict } from "../../core/decision/verdict.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Explanation } from "../../kinds/kind.ts";
import { andMore, type Paint, plural, table } from "./print.ts";

export type ExplainedObject = { readonly name: string; readonly explanation: Explanation };

/** Rules of one object that are listed; the others are counted. */
const RULES_SHOWN_MAX = 40;

/** The whole text; ends with a line end. */
export function printNode(node: NodeFacts, objects: readonly ExplainedObject[], paint: Paint): string {
  const fitted = objects.filter(({ explanation }) => isFitted(explanation)).length;
  const asked = objects.filter(({ explanation }) => explanation.reason !== "NotSelected").length;
  const sum =
    objects.length === 0
      ? "There is no object of ours."
      : `Selected by ${plural(asked, "object")}, fitted by ${fitted}.`;
  return [nodeLine(node, paint), "", ...objects.flatMap((object) => objectLines(object, paint)), sum, ""].join("\n");
}

function nodeLine(node: NodeFacts, paint: Paint): string {
  const kernel = isUnknown(node.kernel) ? `kernel unknown (${node.kernel.unknown})` : `kernel ${node.kernel.raw}`;
  const os = isUnknown(node.os) ? [] : [node.os.raw];
  const arch = isUnknown(node.architecture) ? [] : [node.architecture];
  const ready = node.ready === true ? "Ready" : "NotReady";
  return [paint("bold", `Node ${node.name}`), kernel, [...os, ...arch].join(" "), ready].join("   ");
}

function objectLines({ name, explanation }: ExplainedObject, paint: Paint): readonly string[] {
  const { reason, because, gets, runs, trail, facts } = explanation;
  const given = gets === "" ? "" : `gets ${gets}; `;
  const rules = trail.slice(0, RULES_SHOWN_MAX).map((verdict) => verdictLine(verdict, paint));
  const told = table([...(runs === "" ? [] : [["runs", runs]]), ...Object.entries(facts)]);
  return [
    `  ${sign(explanation, paint)} ${paint("bold", name)}   ${given}${reason}: ${because}`,
    ...rules,
    ...andMore(trail.length - rules.length).map((text) => `      ${text} rules`),
    ...told.map((line) => `      ${line}`),
    "",
  ];
}

function verdictLine({ rule, matched, because }: Verdict, paint: Paint): string {
  return `    ${matched ? paint("green", "✔") : paint("dim", "✖")} ${rule}   ${because}`;
}

/** Reasons of nodes that run what they should, as the status counts them; any other says what is in the way. */
const FITTED: readonly Reason[] = ["Fitted", "DefaultUsed"];

function isFitted({ gets, reason }: Explanation): boolean {
  return gets !== "" && FITTED.includes(reason);
}

function sign(explanation: Explanation, paint: Paint): string {
  const { gets, reason } = explanation;
  if (isFitted(explanation)) return paint("green", "✔");
  if (gets !== "") return paint("yellow", "…");
  return reason === "NotSelected" ? paint("dim", "–") : paint("red", "✖");
}

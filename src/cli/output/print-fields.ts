// Where the fields of a pod come from, as text: those that differ from the template, and which rules had a say.
import type { FieldOrigin } from "../../kinds/kind.ts";
import { andMore, type Paint, table } from "./print.ts";
import type { ExplainedObject } from "./print-explanation.ts";

/** Fields of one object that are listed; the others are counted. */
const FIELDS_SHOWN_MAX = 200;

/** The whole text; ends with a line end. */
export function printFields(objects: readonly ExplainedObject[], paint: Paint): string {
  return `${objects.flatMap((object) => [...objectLines(object, paint), ""]).join("\n")}`;
}

function objectLines({ name, explanation }: ExplainedObject, paint: Paint): readonly string[] {
  const { fields, otherFields, gets, reason, because, trail } = explanation;
  const heading = `${paint("bold", name)}   ${gets === "" ? `${reason}: ${because}` : `gets ${gets}`}`;
  if (fields === undefined || otherFields === undefined)
    return [heading, gets === "" ? "No pod, no fields." : "It keeps what it has; where that came from is not known."];
  if (fields.length === 0) return [heading, `Every field is as ${otherFields} has it.`];
  const skipped = trail.filter(({ rule, matched }) => !matched && rule.startsWith("patches["));
  return [
    heading,
    ...table([["FIELD", "VALUE", "FROM", "WAS"], ...fields.slice(0, FIELDS_SHOWN_MAX).map(rowOf)]),
    ...andMore(fields.length - FIELDS_SHOWN_MAX).map((text) => `${text}; -o json has all`),
    `Every other field is as ${otherFields} has it.`,
    ...skipped.map(({ rule, because: why }) => `Skipped: ${rule}, since ${why}.`),
  ];
}

function rowOf({ field, value, from, was }: FieldOrigin): readonly string[] {
  const before = was.map((each) => `${each.value} (${each.from})`).join(", ");
  return [field, value === "" ? "gone" : value, from, before === "" ? "–" : before];
}

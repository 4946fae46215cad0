// Durations as Kubernetes users write them, `90s`, `10m`, `1h30m`: a text in the object, milliseconds behind the door.
import { kubeSchema } from "./kube-schema.ts";

const DURATION_CHARS_MAX = 24;
const unitMs: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
]);

/** Builds the field. */
export const durationSchema = {
  of: (description: string) =>
    kubeSchema.text(description, {
      max: DURATION_CHARS_MAX,
      pattern: /^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$/,
      form: "hours, minutes and seconds such as 1h30m, 10m or 90s",
      min: 2,
    }),
} as const;

/** The milliseconds of a text that the schema accepted. */
export function durationMs(text: string): number {
  let sum = 0;
  for (const [, digits = "", unit = ""] of text.matchAll(/([0-9]+)([hms])/g))
    sum += Number(digits) * (unitMs.get(unit) ?? 0);
  return sum;
}

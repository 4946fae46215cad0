// Paths of fields as the real server writes them: `spec.parts[0].name`. A walk keeps its steps and writes them only for what it
// has to name, which is almost never.

/** Keys are texts, indexes are numbers. */
export function pathText(steps: readonly (string | number)[]): string {
  return steps.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

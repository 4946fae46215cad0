// What a plan does to the nodes of each variant, where one object makes pods of several: whom an edit of one patch disturbs, and whom not.
import type { Forecast } from "../../kinds/forecast/forecast.ts";
import type { Observation } from "../../kinds/kind.ts";

export type VariantGroup = {
  /** As explanations call it. */
  readonly name: string;
  readonly gained: number;
  readonly replaced: number;
  readonly changedInPlace: number;
  readonly untouched: number;
};

/** The groups by name; none for an object whose variants are workloads of their own, which a plan lists anyway. */
export function variantGroups(told: Forecast, observation: Observation, nowMs: number): readonly VariantGroup[] {
  const { end, object } = told;
  if (end.workloadsOf(object.uid).length > 0) return [];
  const byName = Map.groupBy(new Set(end.podsOf(object.uid).map(({ node }) => node)), (node) =>
    nameOf(observation, node, nowMs),
  );
  const fates = {
    gained: new Set(told.gained),
    replaced: new Set(told.replaced),
    changed: new Set(told.changed),
  };
  return [...byName]
    .map(([name, nodes]) => {
      const count = (among: ReadonlySet<string>) => nodes.filter((node) => among.has(node)).length;
      const [gained, replaced, changedInPlace] = [count(fates.gained), count(fates.replaced), count(fates.changed)];
      const untouched = nodes.length - gained - replaced - changedInPlace;
      return { name, gained, replaced, changedInPlace, untouched };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A node whose pod nobody asks for any more has none of the variants. */
function nameOf(observation: Observation, node: string, nowMs: number): string {
  const gets = observation.explain(node, nowMs)?.gets ?? "";
  return gets === "" ? "nothing" : gets;
}

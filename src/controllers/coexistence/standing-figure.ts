// The figure that says which kinds are left alone, for whoever wonders why an operator does nothing.
import type { Kind } from "../../kinds/kind.ts";
import { addGauge } from "../../runtime/metrics/figures.ts";
import type { Metrics } from "../../runtime/metrics/metrics.ts";
import type { Rivals } from "./rivals.ts";

export type StandingFigure = {
  readonly program: string;
  readonly kinds: readonly Kind[];
  readonly rivals: Pick<Rivals, "standing">;
};

/** Adds the figure; it is read when somebody scrapes. */
export function addStandingFigure(metrics: Metrics, { program, kinds, rivals }: StandingFigure): void {
  const help = "1 while a kind is left alone because another operator serves it.";
  addGauge(metrics, { name: `${program}_standing_back`, help, label: "kind" }, () =>
    kinds.map((kind) => [kind.kind, Number(rivals.standing(kind)?.isCertain === true)]),
  );
}

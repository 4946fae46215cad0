// The figure that says which kinds are left alone, for whoever wonders why an operator does nothing.
import { Gauge, type Registry } from "prom-client";
import type { Kind } from "../kinds/kind.ts";
import type { Rivals } from "./rivals.ts";

export type StandingFigure = {
  readonly program: string;
  readonly kinds: readonly Kind[];
  readonly rivals: Pick<Rivals, "standing">;
};

/** Adds the figure; it is read when somebody scrapes. */
export function addStandingFigure(registry: Registry, { program, kinds, rivals }: StandingFigure): void {
  new Gauge({
    name: `${program}_standing_back`,
    help: "1 while a kind is left alone because another operator serves it.",
    labelNames: ["kind"],
    registers: [registry],
    collect() {
      for (const kind of kinds) this.set({ kind: kind.kind }, Number(rivals.standing(kind) !== undefined));
    },
  });
}

// A scenario in which whoever writes into an object of the store is found: values that are handed over belong to all who read them.
import { isJsonList, isJsonObject, type Json } from "../../src/core/json/json.ts";
import type { Scenario } from "./scenario.ts";

/** The same scenario; a write into what the store holds throws where it happens. */
export function withFrozenStore(scenario: Scenario): Scenario {
  return {
    ...scenario,
    setUp: (world) => {
      world.server.onCommit(({ object }) => freeze(object));
      return scenario.setUp(world);
    },
  };
}

/** Parts that are shared with another object are frozen already, and with them all that they hold. */
function freeze(value: Json): void {
  const isFresh = (isJsonObject(value) || isJsonList(value)) && !Object.isFrozen(value);
  if (!isFresh) return;
  Object.freeze(value);
  for (const part of Object.values<Json>(value)) freeze(part);
}

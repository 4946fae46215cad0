import { expect, test } from "vitest";
import { Decisions } from "../decisions.ts";
import { Faults } from "./faults.ts";
import { drawSettings, oddSettings } from "./odd-settings.ts";

const table = { pageSize: [1, 2], waitMs: [10] };
const forced = (streams: Readonly<Record<string, number>>) => {
  const tape = {
    scenario: "s",
    seed: 1,
    streams: new Map(Object.entries(streams).map(([name, value]) => [name, [{ at: 0, value }]])),
  };
  return new Faults(new Decisions({ tape }), oddSettings("p", table), () => true);
};

test("each setting is a fault of its own, and what is not drawn is left out", () => {
  expect(oddSettings("p", table).map(({ name }) => name)).toEqual(["p-odd-pageSize", "p-odd-waitMs"]);
  expect(drawSettings(forced({}), "p", table)).toEqual({});
  expect(drawSettings(forced({ "p-odd-pageSize": 1 }), "p", table)).toEqual({ pageSize: 1 });
  expect(drawSettings(forced({ "p-odd-pageSize": 1, "p-odd-pageSize-how": 1 }), "p", table)).toEqual({ pageSize: 2 });
});

test("every life draws anew, and none after the faults have ended", () => {
  const faults = forced({ "p-odd-waitMs": 1 });
  expect([drawSettings(faults, "p", table), drawSettings(faults, "p", table)]).toEqual([{ waitMs: 10 }, {}]);
  const over = forced({ "p-odd-waitMs": 1 });
  over.end();
  expect(drawSettings(over, "p", table)).toEqual({});
});

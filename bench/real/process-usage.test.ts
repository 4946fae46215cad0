import { expect, test } from "vitest";
import { parseUsage } from "./process-usage.ts";

const stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 900 0 0 0 250 75 0 0 20 0 11 0 5 1000 2000";

test("processor time is that of user and system, whatever the name of the program", () => {
  expect(parseUsage(stat, "VmPeak:\t 900 kB\nVmHWM:\t  122880 kB\n")).toEqual({ cpuMs: 3_250, peakMb: 120 });
});

test("files that tell nothing are refused", () => {
  expect(() => parseUsage("", "VmHWM: 1 kB")).toThrow("no usage can be read");
  expect(() => parseUsage(stat, "")).toThrow("no usage can be read");
});

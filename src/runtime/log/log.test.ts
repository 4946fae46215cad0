import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createLog, type LogLevel } from "./log.ts";
import { printReadable, readableLog } from "./readable-log.ts";
import { logToList } from "./testing/log-to-list.ts";

function aLog(level: LogLevel = "info") {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) }, new VirtualClock(), { level });
  return { log, lines };
}

test("a line is one JSON object with time, level, fields and message", () => {
  const { log, lines } = aLog();
  log.with({ controller: "things" }).info("reconciled", { key: "ns/a", tookMs: 12 });
  expect(lines).toEqual([
    '{"level":"info","time":"2026-01-01T00:00:00.000Z","controller":"things","key":"ns/a","tookMs":12,"msg":"reconciled"}\n',
  ]);
});

test("lines below the level are not written", () => {
  const { log, lines } = aLog("warn");
  log.debug("no");
  log.info("no");
  log.warn("yes");
  log.error("yes");
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(["warn", "error"]);
});

test("credentials are masked in fields, in inherited fields and in the message", () => {
  const { log, lines } = aLog();
  log.with({ token: "canary-1" }).error("Bearer canary-22222", { headers: { authorization: "canary-3" } });
  expect(lines.join()).not.toContain("canary");
});

test("an error is written with its type, message and stack", () => {
  const { log, lines } = aLog();
  log.error("failed", { error: new RangeError("out of it") });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: { type: "RangeError", message: "out of it" } });
});

test("a hostile value cannot forge a second line, in JSON or in readable form", () => {
  const { log, lines } = aLog();
  log.info("name is\nINFO all good", { name: 'x\u001b[2J\n{"level":"error"}', rtl: "a\u202eb" });
  expect(lines.join("").split("\n")).toHaveLength(2);
  const readable = printReadable(lines[0] ?? "", false);
  expect(readable).toBe(
    String.raw`00:00:00.000 INFO  name is\u000aINFO all good name="x\u001b[2J\n{\"level\":\"error\"}" rtl="a\u202eb"`,
  );
});

test("the readable form is short, and coloured on request", () => {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const log = createLog(readableLog({ write: (line) => lines.push(line) }, { colors: false }), clock, {
    level: "info",
  });
  log.warn("slow", { key: "ns/a", count: 3, note: "two words" });
  expect(lines).toEqual(['00:00:00.000 WARN  slow key=ns/a count=3 note="two words"\n']);
  expect(printReadable('{"level":"warn","time":"2026-01-01T00:00:00.000Z","msg":"slow"}', true)).toContain(
    "\u001b[33m",
  );
});

test("a log to a list keeps inherited fields", () => {
  const { log, lines } = logToList();
  log.with({ a: 1 }).with({ b: 2 }).warn("hm", { c: 3 });
  expect(lines).toEqual([{ level: "warn", message: "hm", fields: { a: 1, b: 2, c: 3 } }]);
});

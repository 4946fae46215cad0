import { expect, test } from "vitest";
import { readVitestReport } from "./vitest-report.ts";

const clean = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, testResults: [] };
const why = { what: "unit", reason: "openssl is not on the PATH", remedy: "install it" };
const read = (report: object, exitCode = 0) => readVitestReport(JSON.stringify(report), exitCode, why);

test("a clean run is all passed", () => {
  expect(read(clean)).toEqual({ passed: 5, failed: 0, skips: [] });
});

test("a file that fails to load counts as a failure", () => {
  const broken = { ...clean, testResults: [{ status: "failed", assertionResults: [] }] };
  expect(read(broken, 1).failed).toBe(1);
});

test("a bad exit without a failed test is still a failure", () => {
  expect(read(clean, 1).failed).toBe(1);
});

test("no report, or one that is not JSON, is a failure", () => {
  expect(readVitestReport(undefined, 0, why).failed).toBe(1);
  expect(readVitestReport("<html>", 0, why).failed).toBe(1);
});

test("skipped tests are counted and named", () => {
  const [skip] = read({ ...clean, numPendingTests: 3 }).skips;
  expect(skip).toEqual({ ...why, count: 3 });
});

import { expect, test } from "vitest";
import { readVitestReport } from "./vitest-report.ts";

const clean = { numPassedTests: 5, numFailedTests: 0, testResults: [] };
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

test("skipped tests are counted by groups, each with what its name says", () => {
  const outcome = (status: string, ...ancestorTitles: readonly string[]) => ({
    status,
    ancestorTitles,
    title: "a test",
  });
  const buildah = "buildah (skipped: buildah is not there; no, really not; install it)";
  const assertionResults = [
    ...[outcome("skipped", buildah, "itself"), outcome("skipped", buildah), outcome("passed", "others")],
    ...[outcome("pending", "certificates"), outcome("todo", "certificates")],
  ];
  expect(read({ ...clean, testResults: [{ status: "passed", assertionResults }] }).skips).toEqual([
    { what: "unit, buildah", reason: "buildah is not there; no, really not", remedy: "install it", count: 2 },
    { ...why, what: "unit, certificates", count: 2 },
  ]);
});

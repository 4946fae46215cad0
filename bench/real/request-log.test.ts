import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countsText, policyFor, RequestLog, total, UPKEEP } from "./request-log.ts";

type Line = {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly stage?: string;
};

function line({ verb, resource, subresource, stage = "ResponseComplete" }: Line, username = "ours"): string {
  return `${JSON.stringify({ stage, verb, user: { username }, objectRef: { resource, subresource } })}\n`;
}

test("requests are counted once each, for one user, from one look to the next", () => {
  const folder = mkdtempSync(join(tmpdir(), "request-log-"));
  const file = join(folder, "audit.log");
  const watch = { verb: "watch", resource: "pods" };
  appendFileSync(
    file,
    line({ verb: "create", resource: "pods" }) + line({ verb: "create", resource: "pods" }, "other"),
  );
  const log = new RequestLog(file);
  expect(countsText(log.since("ours"))).toBe("1 create pods");
  const half = line({ verb: "patch", resource: "modules", subresource: "status" });
  appendFileSync(file, line({ ...watch, stage: "ResponseStarted" }) + line(watch) + half.slice(0, 20));
  expect(countsText(log.since("ours"))).toBe("1 watch pods");
  appendFileSync(file, half.slice(20) + half);
  expect(countsText(log.since("ours"))).toBe("2 patch modules/status");
  rmSync(folder, { recursive: true });
});

test("upkeep is what a process asks for without work", () => {
  const counts = new Map([
    ["create pods", 3],
    ["update leases", 5],
    ["watch pods", 1],
    ["list nodes", 1],
    ["get validatingwebhookconfigurations", 2],
    ["patch daemonsets/status", 4],
  ]);
  expect([total(counts), total(counts, UPKEEP)]).toEqual([16, 7]);
});

test("the policy records everything of the users that it names and nothing of others", () => {
  expect(JSON.parse(policyFor(["ours"])).rules).toEqual([{ level: "Metadata", users: ["ours"] }, { level: "None" }]);
});

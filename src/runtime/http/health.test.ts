import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { healthRoutes, printChecks } from "./health.ts";
import { findRoute, type Routes, type ServerRequest } from "./http-routes.ts";

const request: ServerRequest = {
  ...{ method: "GET", path: "/", query: new URLSearchParams(), headers: {}, body: new Uint8Array() },
  signal: new AbortController().signal,
};

test("all checks passing is 200, and each is named", () => {
  expect(printChecks({ cache: () => undefined, lease: () => undefined })).toMatchObject({
    status: 200,
    body: "[+] cache\n[+] lease\nok\n",
  });
});

test("one failing check is 503, with its reason beside the others", () => {
  const checks = { cache: () => undefined, lease: () => "no answer for 30 s" };
  expect(printChecks(checks)).toMatchObject({
    status: 503,
    body: "[+] cache\n[-] lease: no answer for 30 s\nnot ok\n",
  });
});

test("a check that throws fails itself only", () => {
  const broken = () => {
    throw new Error("no such part");
  };
  expect(printChecks({ broken, cache: () => undefined }).body).toBe(
    "[-] broken: the check itself failed: no such part\n[+] cache\nnot ok\n",
  );
});

test("liveness and readiness are asked separately, and metrics are printed", async () => {
  const routes = healthRoutes({ alive: {}, ready: { cache: () => "not synced" }, registry: new Registry() });
  const statusOf = async (path: string) => (await findRoute(routes, "GET", path)(request)).status;
  expect([await statusOf("/healthz"), await statusOf("/readyz"), await statusOf("/metrics")]).toEqual([200, 503, 200]);
});

test("unknown paths are 404, known paths with another method are 405 and name what is allowed", async () => {
  const ok = () => ({ status: 200 });
  const routes: Routes = new Map([
    ["GET /a", ok],
    ["POST /a", ok],
  ]);
  const answer = (method: string, path: string) => findRoute(routes, method, path)(request);
  expect(await answer("GET", "/b")).toMatchObject({ status: 404 });
  expect(await answer("PUT", "/a")).toMatchObject({ status: 405, headers: { allow: "GET, POST" } });
  expect(await answer("HEAD", "/a")).toMatchObject({ status: 200 });
  expect(await answer("GET", "/a/../a")).toMatchObject({ status: 404 });
  expect(await answer("__proto__", "/a")).toMatchObject({ status: 405 });
});

import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { containerFieldProblems, countProblems } from "./container-fields.ts";

const pathsOf = (container: JsonObject) => containerFieldProblems(container, "c").map(({ path }) => path);

test.each<[string, JsonObject, readonly string[]]>([
  ["nothing", {}, []],
  [
    "every field as it may be",
    { imagePullPolicy: "Always", livenessProbe: { periodSeconds: 0 }, resources: { limits: { cpu: 1 } } },
    [],
  ],
  ["a command of texts", { command: ["sh", "-c"], args: [], ports: [{ containerPort: 80, hostPort: 0 }] }, []],
  ["a command that is a text", { command: "sh" }, ["c.command"]],
  ["an argument without quotes", { args: ["-v", 5, true] }, ["c.args[1]"]],
  ["a port of a text", { ports: [{ containerPort: "http" }] }, ["c.ports[0].containerPort"]],
  [
    "ports beyond all ports",
    { ports: [{ containerPort: 0 }, { containerPort: 80, hostPort: 65_536 }, 80] },
    ["c.ports[0].containerPort", "c.ports[1].hostPort", "c.ports[2]"],
  ],
  ["a pull policy that there is not", { imagePullPolicy: "Sometimes" }, ["c.imagePullPolicy"]],
  [
    "a probe before the start",
    { readinessProbe: { initialDelaySeconds: -1 } },
    ["c.readinessProbe.initialDelaySeconds"],
  ],
  ["a probe of half seconds", { startupProbe: { timeoutSeconds: 0.5 } }, ["c.startupProbe.timeoutSeconds"]],
  ["a probe of too many seconds", { livenessProbe: { periodSeconds: 3e9 } }, ["c.livenessProbe.periodSeconds"]],
  ["an amount below zero", { resources: { limits: { cpu: "-1" } } }, ['c.resources.limits["cpu"]']],
  ["an amount in words", { resources: { requests: { memory: "10 GiE" } } }, ['c.resources.requests["memory"]']],
  ["an amount that is a list", { resources: { requests: { memory: [] } } }, ['c.resources.requests["memory"]']],
  [
    "a request above its limit",
    { resources: { requests: { cpu: "2" }, limits: { cpu: "1500m" } } },
    ['c.resources.requests["cpu"]'],
  ],
  [
    "a request that is its limit in other words",
    { resources: { requests: { cpu: "1" }, limits: { cpu: "1000m" } } },
    [],
  ],
])("of a container with %s", (_about, container, paths) => {
  expect(pathsOf(container)).toEqual(paths);
});

test.each<[Json | undefined, boolean]>([
  [undefined, true],
  [null, true],
  [0, true],
  [2_147_483_647, true],
  [2_147_483_648, false],
  [-1, false],
  ["5", false],
])("%j is a count: %s", (value, isCount) => {
  expect(countProblems(value, "at").length === 0).toBe(isCount);
});

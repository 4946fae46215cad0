// Fields of a container that the API server would refuse only when it is asked for the first pod: by then the old pods may be gone. What
// is checked here is refused there too, always.

import type { Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../core/values/quantity.ts";
import { quoted } from "../../core/values/shown.ts";
import { problem } from "../schema/admission.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import { NOTHING_SOUND, type SoundParts } from "./sound-parts.ts";

const PULL_POLICIES: readonly Json[] = Object.freeze(["Always", "IfNotPresent", "Never"]);
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const PROBE_COUNTS = "initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold".split(" ");
const INT32_MAX = 2_147_483_647;
const PORT_MAX = 65_535;
const none: readonly Problem[] = Object.freeze([]);

/** Lists what is wrong with the command, the ports, the pull policy, the probes and the amounts of a container at a path; sound parts are left out. */
export function containerFieldProblems(
  container: JsonObject,
  path: string,
  sound: SoundParts = NOTHING_SOUND,
): readonly Problem[] {
  return [
    ...["command", "args"].flatMap((field) =>
      sound.has(container[field]) ? none : textListProblems(container[field], `${path}.${field}`),
    ),
    ...(sound.has(container.ports) ? none : portProblems(container.ports, `${path}.ports`)),
    ...pullPolicyProblems(container.imagePullPolicy, `${path}.imagePullPolicy`),
    ...PROBES.flatMap((probe) =>
      container[probe] === undefined || sound.has(container[probe])
        ? none
        : probeProblems(objectAt(container, probe), `${path}.${probe}`),
    ),
    ...(sound.has(container.resources) ? none : amountProblems(objectAt(container, "resources"), `${path}.resources`)),
  ];
}

/** Says whether a whole number of the API is one, from zero on. */
export function countProblems(value: Json | undefined, path: string): readonly Problem[] {
  if (value === undefined || value === null) return none;
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= INT32_MAX;
  return isCount ? none : problem(path, `must be a whole number from 0 to ${INT32_MAX}, not ${quoted(value)}`);
}

/** A number or `true` without quotes is the mistake that YAML invites to. */
function textListProblems(list: Json | undefined, path: string): readonly Problem[] {
  if (list === undefined || list === null) return none;
  if (!Array.isArray(list)) return problem(path, `must be a list of texts, not ${quoted(list)}`);
  const index = list.findIndex((each: Json) => typeof each !== "string");
  return index < 0
    ? none
    : problem(`${path}[${index}]`, `must be a text, not ${quoted(list[index])}; put it in quotes`);
}

function portProblems(ports: Json | undefined, path: string): readonly Problem[] {
  return listOf(ports).flatMap((port, index) => {
    if (!isJsonObject(port)) return problem(`${path}[${index}]`, `must be a port, not ${quoted(port)}`);
    const { containerPort, hostPort = 0 } = port;
    return [
      ...(isPort(containerPort, 1) ? none : portProblem(containerPort, `${path}[${index}].containerPort`)),
      ...(hostPort === null || isPort(hostPort, 0) ? none : portProblem(hostPort, `${path}[${index}].hostPort`)),
    ];
  });
}

function isPort(value: Json | undefined, min: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= PORT_MAX;
}

function portProblem(value: Json | undefined, path: string): readonly Problem[] {
  return problem(path, `must be a port from 1 to ${PORT_MAX}, not ${quoted(value)}`);
}

function pullPolicyProblems(policy: Json | undefined, path: string): readonly Problem[] {
  if (policy === undefined || policy === null || policy === "" || PULL_POLICIES.includes(policy)) return none;
  return problem(path, `must be one of ${PULL_POLICIES.join(", ")}, not ${quoted(policy)}`);
}

function probeProblems(probe: JsonObject, path: string): readonly Problem[] {
  return PROBE_COUNTS.flatMap((field) => countProblems(probe[field], `${path}.${field}`));
}

function amountProblems(resources: JsonObject, path: string): readonly Problem[] {
  const limits = objectAt(resources, "limits");
  const requests = objectAt(resources, "requests");
  return [
    ...Object.keys(limits).flatMap((name) => quantityProblems(limits[name], `${path}.limits[${quoted(name)}]`)),
    ...Object.keys(requests).flatMap((name) => quantityProblems(requests[name], `${path}.requests[${quoted(name)}]`)),
    ...Object.keys(requests).flatMap((name) =>
      excessProblems(requests[name], limits[name], `${path}.requests[${quoted(name)}]`),
    ),
  ];
}

function quantityProblems(value: Json | undefined, path: string): readonly Problem[] {
  const amount = amountOf(value);
  if (amount === undefined) return problem(path, `${quoted(value)} is no amount; write it as 100m, 2 or 64Mi`);
  return amount.mantissa < 0n ? problem(path, `must not be negative, and is ${quoted(value)}`) : none;
}

function excessProblems(request: Json | undefined, limit: Json | undefined, path: string): readonly Problem[] {
  const [asked, most] = [amountOf(request), amountOf(limit)];
  if (asked === undefined || most === undefined || compareQuantities(asked, most) <= 0) return none;
  return problem(path, `${quoted(request)} is more than its limit of ${quoted(limit)}; raise the limit`);
}

/** Whether two amounts are one, however they are written; undefined is none. */
export function isSameAmount(a: Json | undefined, b: Json | undefined): boolean {
  const [left, right] = [amountOf(a), amountOf(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}

function amountOf(value: Json | undefined): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const parsed = parseQuantity(String(value));
  return parsed.ok ? parsed.value : undefined;
}

// What the real server refuses in the probes of a container.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { portNameFaults, portNumberFaults } from "./port-faults.ts";

const probes = ["livenessProbe", "readinessProbe", "startupProbe"];
const handlers = ["exec", "httpGet", "tcpSocket", "grpc"];
const counts = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];
const schemes = ["HTTP", "HTTPS"];

/** The faults of a container's probes; an init container that ends has none. */
export function probeFaults(container: JsonObject, at: string, hasProbes: boolean): readonly FieldError[] {
  return probes.flatMap((name) => {
    if (container[name] === undefined) return [];
    const field = `${at}.${name}`;
    if (!hasProbes) return [forbiddenValue(field, "may not be set for init containers without restartPolicy=Always")];
    const probe = objectAt(container, name);
    return [...handlerFaults(probe, field), ...countFaults(probe, field, name !== "readinessProbe")];
  });
}

function countFaults(probe: JsonObject, at: string, succeedsOnce: boolean): readonly FieldError[] {
  const negative = counts.filter((key) => (numberAt(probe, key) ?? 0) < 0);
  const successes = numberAt(probe, "successThreshold") ?? 1;
  return [
    ...negative.map((key) => invalidValue(`${at}.${key}`, probe[key] ?? 0, "must be greater than or equal to 0")),
    ...(succeedsOnce && successes !== 1 ? [invalidValue(`${at}.successThreshold`, successes, "must be 1")] : []),
  ];
}

function handlerFaults(probe: JsonObject, at: string): readonly FieldError[] {
  const [handler, ...others] = handlers.filter((key) => probe[key] !== undefined);
  if (handler === undefined) return [requiredValue(at, "must specify a handler type")];
  return [
    ...handlingFaults(handler, objectAt(probe, handler), `${at}.${handler}`),
    ...others.map((other) => forbiddenValue(`${at}.${other}`, "may not specify more than 1 handler type")),
  ];
}

function handlingFaults(handler: string, said: JsonObject, at: string): readonly FieldError[] {
  switch (handler) {
    case "exec":
      return listAt(said, "command").length > 0 ? [] : [requiredValue(`${at}.command`)];
    case "httpGet": {
      const scheme = textAt(said, "scheme");
      const odd = schemes.includes(scheme) ? [] : [unsupportedValue(`${at}.scheme`, scheme, schemes)];
      return [...portFaults(said.port ?? 0, `${at}.port`), ...odd];
    }
    default:
      return portFaults(said.port ?? 0, `${at}.port`);
  }
}

/** A port may be named. */
function portFaults(port: Json, field: string): readonly FieldError[] {
  return typeof port === "string" ? portNameFaults(port, field) : portNumberFaults(port, field);
}

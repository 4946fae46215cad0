// What the real server refuses in the ports of containers: numbers, names, and what two of them cannot share.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, numberAt, textAt } from "../api-object.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";

const PORT_MAX = 65_535;
const PORT_NAME_CHARS_MAX = 15;
const protocols = ["SCTP", "TCP", "UDP"];

/** The faults of the ports of one container. */
export function portFaults(container: JsonObject, at: string): readonly FieldError[] {
  const taken = new Set<string>();
  return portsOf(container).flatMap((port, index) => {
    const place = `${at}.ports[${index}]`;
    const [number, onHost] = [numberAt(port, "containerPort") ?? 0, numberAt(port, "hostPort") ?? 0];
    const [name, protocol] = [textAt(port, "name"), textAt(port, "protocol")];
    const inName = name === "" ? [] : portNameFaults(name, `${place}.name`);
    const isTaken = name !== "" && inName.length === 0 && taken.has(name);
    taken.add(name);
    return [
      ...inName,
      ...(isTaken ? [duplicateValue(`${place}.name`, name)] : []),
      ...(number === 0
        ? [requiredValue(`${place}.containerPort`)]
        : portNumberFaults(number, `${place}.containerPort`)),
      ...(onHost === 0 ? [] : portNumberFaults(onHost, `${place}.hostPort`)),
      ...(protocols.includes(protocol) ? [] : [unsupportedValue(`${place}.protocol`, protocol, protocols)]),
    ];
  });
}

/** The faults of the ports that containers have on their host; on the host's own network a port is the same in both. */
export function hostPortFaults(
  containers: readonly JsonObject[],
  path: string,
  isOnHostNetwork: boolean,
): readonly FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    portsOf(container).flatMap((port, place) => {
      const onHost = numberAt(port, "hostPort") ?? 0;
      if (onHost === 0) return [];
      const field = `${path}[${index}].ports[${place}].hostPort`;
      const address = `${textAt(port, "protocol")}/${textAt(port, "hostIP")}/${onHost}`;
      const isTaken = taken.has(address);
      taken.add(address);
      const isOther = isOnHostNetwork && onHost !== port.containerPort;
      return [
        ...(isTaken ? [duplicateValue(field, address)] : []),
        ...(isOther ? [invalidValue(field, onHost, "must match `containerPort` when `hostNetwork` is true")] : []),
      ];
    }),
  );
}

function portsOf(container: JsonObject): readonly JsonObject[] {
  return listAt(container, "ports").filter(isJsonObject);
}

/** The faults of a number that must be one of a port. */
export function portNumberFaults(port: Json, field: string): readonly FieldError[] {
  const isPort = typeof port === "number" && port >= 1 && port <= PORT_MAX;
  return isPort ? [] : [invalidValue(field, port, `must be between 1 and ${PORT_MAX}, inclusive`)];
}

/** The faults of a port's name. */
export function portNameFaults(name: string, field: string): readonly FieldError[] {
  const rules: readonly (readonly [isKept: boolean, words: string])[] = [
    [name.length <= PORT_NAME_CHARS_MAX, `must be no more than ${PORT_NAME_CHARS_MAX} characters`],
    [/^[-a-z0-9]+$/.test(name), "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
    [/[a-z]/.test(name), "must contain at least one letter (a-z)"],
    [!name.includes("--"), "must not contain consecutive hyphens"],
    [!/^-|-$/.test(name), "must not begin or end with a hyphen"],
  ];
  return rules.filter(([isKept]) => !isKept).map(([, words]) => invalidValue(field, name, words));
}

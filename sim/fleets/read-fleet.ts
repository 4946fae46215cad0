// Fleet files on disk: those of this folder by name, others by path.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fleet } from "./fleet.ts";
import { parseFleet } from "./parse-fleet.ts";

/** A fleet of five groups fits in two kilobytes; more than this was named by mistake. */
const FLEET_BYTES_MAX = 1024 * 1024;

/** The names of the fleets that come with Farrier. */
export function fleetNames(): readonly string[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}

/** Reads a fleet by its name in this folder or by the path of a file; throws an error with the remedy. */
export function readFleet(nameOrPath: string): Fleet {
  const isName = fleetNames().includes(nameOrPath);
  const path = isName ? join(import.meta.dirname, `${nameOrPath}.yaml`) : nameOrPath;
  const bytes = bytesOf(path);
  if (bytes.byteLength > FLEET_BYTES_MAX)
    throw new Error(`fleet ${path}: too large for a fleet file (${bytes.byteLength} bytes)`);
  return parseFleet(path, bytes.toString("utf8"));
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const names = fleetNames().join(", ");
    throw new Error(`fleet "${path}" cannot be read (${why}); give a file, or one of: ${names}`, { cause });
  }
}

// Whether the Go oracle can run on this machine, and what to do when it cannot: its tests and figures are then left out,
// with one line that says so.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { goSources, oracleBinary } from "./binary.ts";

export type OracleAvailability =
  | { readonly available: true }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

const NEEDED_GO = { major: 1, minor: 25 };
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** Says whether the oracle is built already or can be built: Go is there, is new enough, and has the modules. */
export function oracleAvailability(): OracleAvailability {
  if (existsSync(oracleBinary())) return { available: true };
  const remedy = `install Go ${NEEDED_GO.major}.${NEEDED_GO.minor} or newer and put it on the PATH`;
  const asked = spawnSync("go", ["env", "GOVERSION"], { cwd: goSources, encoding: "utf8" });
  if (asked.status !== 0) return { available: false, reason: "Go not found", remedy };
  const version = asked.stdout.trim();
  if (!isNewEnough(version)) return { available: false, reason: `Go ${version} is too old`, remedy };
  return modulesAvailability();
}

/** True for a version text such as "go1.25.3" that the oracle's go.mod accepts. */
export function isNewEnough(version: string): boolean {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) !== NEEDED_GO.major) return Number(major) > NEEDED_GO.major;
  return Number(minor) >= NEEDED_GO.minor;
}

function modulesAvailability(): OracleAvailability {
  const download = spawnSync("go", ["mod", "download"], {
    cwd: goSources,
    encoding: "utf8",
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  if (download.status === 0) return { available: true };
  const said = download.stderr.trim().split("\n").at(-1) || "no answer in time";
  return {
    available: false,
    reason: `the Go modules of the oracle cannot be downloaded (${said})`,
    remedy: "check the network and GOPROXY, then run it again",
  };
}

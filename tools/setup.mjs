// The first line of every npm script: installs what is missing, then runs a TypeScript entry on the locked Node.
// Plain ES2022 without dependencies, because it must also run where the system's Node is older and nothing is installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const stampFile = join(root, "node_modules", ".farrier-installed");
const installLock = join(root, ".farrier-installing");
const LOOK_EVERY_MS = 500;
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"];
const OLDEST_NODE = 24;

function lockDigest() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === lockDigest();
}

/** Two commands started at once in a fresh clone must not install over each other: a file with our pid is the lock. */
async function withInstallLock(work) {
  for (let isFirstLook = true; !takeInstallLock(); isFirstLook = false) {
    if (isFirstLook) console.error(`farrier: waiting for another installation (process ${installLockHolder()})`);
    await sleep(LOOK_EVERY_MS);
  }
  try {
    if (!isInstalled()) await work();
  } finally {
    rmSync(installLock, { force: true });
  }
}

function takeInstallLock() {
  try {
    writeFileSync(installLock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") fail(`cannot write to ${root}: ${error.message}`);
    // Whoever was killed while installing leaves its lock behind.
    if (!isRunning(installLockHolder())) rmSync(installLock, { force: true });
    return false;
  }
}

function installLockHolder() {
  try {
    return Number(readFileSync(installLock, "utf8"));
  } catch {
    return 0;
  }
}

function isRunning(pid) {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function install() {
  console.error("farrier: installing dependencies (npm ci, about 30 s; once per lock file)");
  const npm = process.env.npm_execpath;
  const args = ["ci", "--no-progress", "--loglevel=error"];
  const [command, ...before] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  const child = spawn(command, [...before, ...args], { cwd: root, stdio: ["ignore", 2, 2] });
  // Interrupted, we wait for npm to end: a second installation beside it would break both.
  const interrupt = () => child.kill("SIGTERM");
  for (const signal of endingSignals) process.on(signal, interrupt);
  const code = await new Promise((settle) => {
    child.on("error", () => settle(127));
    child.on("exit", (status) => settle(status ?? 1));
  });
  for (const signal of endingSignals) process.off(signal, interrupt);
  if (code !== 0) {
    rmSync(installLock, { force: true });
    fail("npm ci did not finish; is the npm registry reachable?");
  }
  writeFileSync(stampFile, lockDigest());
}

/** The locked Node of the optional packages, else the running one if it is new enough. */
function nodeBinary() {
  const local = join(root, "node_modules", ".bin", "node");
  if (existsSync(local)) return local;
  if (Number(process.versions.node.split(".")[0]) >= OLDEST_NODE) return process.execPath;
  return fail(
    `needs Node ${OLDEST_NODE} or newer, found ${process.versions.node}, and no packaged one fits ${process.platform}-${process.arch}; install Node ${OLDEST_NODE}`,
  );
}

function fail(message) {
  console.error(`farrier: ${message}`);
  process.exit(1);
}

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) fail("usage: node tools/setup.mjs ENTRY.ts [ARGS...]");
if (!isInstalled()) await withInstallLock(install);

const bin = join(root, "node_modules", ".bin");
const child = spawn(nodeBinary(), [join(root, entry), ...args], {
  stdio: "inherit",
  env: { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}` },
});
// The child gets the terminal's Ctrl-C by itself; signals sent to us alone are passed on, and its fate becomes ours.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("error", (error) => fail(`cannot start ${entry}: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

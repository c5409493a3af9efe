// Installs programs that some tests and benchmarks need and npm cannot install. Does nothing if all are on the PATH.
import { spawnSync } from "node:child_process";

/** Debian and Ubuntu have a package of the same name for each. */
const PROGRAMS = ["chromium", "redis-server", "nginx", "openssl"];
const PATIENCE_MS = 240_000;

/** @param {string} program */
const isOnPath = (program) => spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;

/** @param {string[]} words */
function aptGet(...words) {
  const command = ["apt-get", "-y", "-o", "Acquire::http::Timeout=20", ...words];
  console.log(`services: ${command.join(" ")}`);
  const [program = "", ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync(program, args, {
    env,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: PATIENCE_MS,
  });
  return status === 0;
}

const missing = PROGRAMS.filter((program) => !isOnPath(program));
const mayInstall = process.getuid?.() === 0 || isOnPath("sudo");
if (missing.length > 0 && isOnPath("apt-get") && mayInstall) {
  // One at a time: one that is not available must not keep the others from being installed.
  aptGet("update");
  for (const program of missing) aptGet("install", "--no-install-recommends", program);
}
const lacking = missing.filter((program) => !isOnPath(program));
if (lacking.length > 0) {
  console.error(`services: not on the PATH: ${lacking.join(", ")}. Tests that need them are reported as not run.
Debian and Ubuntu: sudo apt-get install ${lacking.join(" ")}
macOS: brew install ${lacking.map((program) => (program === "redis-server" ? "redis" : program)).join(" ")}`);
  process.exitCode = 1;
}

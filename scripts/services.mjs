// Installs programs that some tests and benchmarks need and npm cannot install. Does nothing if all are on the PATH.
import { spawnSync } from "node:child_process";

/** Any name will do; the first is the better one. Packages of Debian have the same names, those of Ubuntu most of them. */
const PROGRAMS = [["chromium-headless-shell", "chromium"], ["redis-server"], ["nginx"], ["openssl"]];
const PATIENCE_MS = 240_000;

/** @param {string} program */
const isOnPath = (program) => spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;
const listMissing = () => PROGRAMS.filter((names) => !names.some(isOnPath));

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

const missing = listMissing();
const mayInstall = process.getuid?.() === 0 || isOnPath("sudo");
if (missing.length > 0 && isOnPath("apt-get") && mayInstall) {
  // One at a time: one that is not available must not keep the others from being installed.
  aptGet("update");
  for (const names of missing) names.some((name) => aptGet("install", "--no-install-recommends", name));
}
const lacking = listMissing().map((names) => names.at(-1));
if (lacking.length > 0) {
  console.error(`services: not on the PATH: ${lacking.join(", ")}. Tests that need them are reported as not run.
Debian and Ubuntu: sudo apt-get install ${lacking.join(" ")}
macOS: brew install ${lacking.map((program) => (program === "redis-server" ? "redis" : program)).join(" ")}`);
  process.exitCode = 1;
}

import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

type Environment = { readonly [name: string]: string | undefined };
type Platform = NodeJS.Platform;

/** Where programs are if the environment does not say. */
const USUAL = ["/usr/bin", "/bin"];

const isPathName = (name: string, platform: Platform): boolean =>
  platform === "win32" ? name.toUpperCase() === "PATH" : name === "PATH";

/** Whether it means the same in every working directory; on Windows also on every drive. */
export const isFullPath = (path: string, platform: Platform = process.platform): boolean =>
  platform === "win32" ? /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(path) : path.startsWith("/");

/**
 * Programs run in folders that others wrote. An empty or relative component of the search path would mean such a folder, so
 * its programs would run.
 */
function searchPath(env: Environment, platform: Platform): readonly string[] {
  const given = Object.entries(env).find(([name]) => isPathName(name, platform))?.[1] ?? "";
  const parts = platform === "win32" ? given.replaceAll('"', "").split(";") : given.split(":");
  return parts.filter((part) => isFullPath(part, platform));
}

/** The environment without components of its search path that depend on the working directory. */
export function withFullSearchPath(env: Environment, platform: Platform = process.platform): Environment {
  const others = Object.entries(env).filter(([name]) => !isPathName(name, platform));
  const path = searchPath(env, platform).join(platform === "win32" ? ";" : ":");
  // If none is left, there must be no variable: an empty one would mean the working directory.
  return { ...Object.fromEntries(others), ...(path !== "" && { PATH: path }) };
}

/**
 * Where a program of this name may be, in the order of the search. Windows itself would look in the working directory first,
 * whatever the search path is, and would also find scripts, which only a shell can run.
 */
export function toCandidates(
  name: string,
  env: Environment,
  platform: Platform = process.platform,
): readonly string[] {
  if (isFullPath(name, platform)) return [name];
  if (/[\\/]/.test(name)) return [];
  const path = searchPath(env, platform);
  if (platform === "win32") return path.map((folder) => win32.join(folder, `${name}.exe`));
  return (path.length > 0 ? path : USUAL).map((folder) => posix.join(folder, name));
}

const found = new Map<string, string>();

/** The full path of a program; undefined if there is none. Searched for once. */
export function findProgram(name: string, env: Environment): string | undefined {
  const candidates = toCandidates(name, env);
  const key = candidates.join("\0");
  const known = found.get(key);
  if (known !== undefined && isProgram(known)) return known;
  const program = isFullPath(name) ? name : candidates.find(isProgram);
  if (program !== undefined) found.set(key, program);
  return program;
}

function isProgram(path: string): boolean {
  try {
    // On Windows, every file that can be read passes.
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

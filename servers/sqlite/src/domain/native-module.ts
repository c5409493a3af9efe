import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { Fault } from "@suite/server-kit/domain";

/** The Node.js that runs. Hosts often start another one than a shell does. */
export interface RunningNode {
  readonly version: string;
  /** The number of its interface for native code. */
  readonly abi: string;
  readonly program: string;
}

const MODULE = "better-sqlite3";
const RELEASES: { readonly [abi: string]: string } = {
  108: "18",
  115: "20",
  120: "21",
  127: "22",
  131: "23",
  137: "24",
  141: "25",
};
const NOT_LOADED =
  /did not self-register|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED|bindings file|Cannot find module/i;

/** Which Node.js the native part of better-sqlite3 was built for, if that is why it cannot be loaded, and how to mend it. */
export function toLoadFault(thrown: unknown, node: RunningNode, from: URL): Fault | undefined {
  const { message = "", code = "" } = thrown as { message?: string; code?: string };
  if (!NOT_LOADED.test(`${code} ${message}`)) return undefined;
  const folder = findModule(from);
  const abi = folder === undefined ? undefined : abiOf(folder);
  const runs = `Node.js ${node.version} (ABI ${node.abi}, ${node.program})`;
  const built =
    abi === undefined
      ? `The native part of ${MODULE} is missing or cannot be read`
      : abi === node.abi
        ? `The native part of ${MODULE} cannot be loaded (${message.split("\n")[0]})`
        : `${MODULE} was built for Node.js ${RELEASES[abi] ?? "of another version"} (ABI ${abi})`;
  return new Fault("unavailable", `${built}, and this is ${runs}.`, {
    retryable: false,
    // The Node.js that runs comes first in the path, so that it is built for that one.
    hint: `The operator mends it with: cd ${JSON.stringify(folder ?? ".")} && PATH="${dirname(node.program)}:$PATH" npm run install`,
    cause: thrown,
  });
}

function findModule(from: URL): string | undefined {
  try {
    return dirname(createRequire(from).resolve(`${MODULE}/package.json`));
  } catch {
    return undefined;
  }
}

/** Its entry point has the number in its name. */
function abiOf(folder: string): string | undefined {
  try {
    const binary = readFileSync(join(folder, "build", "Release", "better_sqlite3.node"), "latin1");
    return /node_register_module_v(\d+)/.exec(binary)?.[1];
  } catch {
    return undefined;
  }
}

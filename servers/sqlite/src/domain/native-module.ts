import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { codeOf, Fault } from "@suite/server-kit/domain";

/** The running Node.js. Hosts often use a different one than the shell. */
export interface RunningNode {
  readonly version: string;
  /** The version of its native ABI. */
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
  147: "26",
};
const NOT_LOADED =
  /did not self-register|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED|bindings file|Cannot find module/i;

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: { readonly install?: string };
}

const toText = ({ version, abi, program }: RunningNode): string =>
  `Node.js ${version} (ABI ${abi}, ${program})`;

/** Why better-sqlite3 would crash: 13 ships binaries for Node.js 22 and later, and does not check the running version. */
export function whyUnfit(node: RunningNode, from: URL): Fault | undefined {
  const folder = findModule(from);
  const { version, engines } = folder === undefined ? {} : readManifest(folder);
  const [, least] = /^>=(\d+)/.exec(engines?.node ?? "") ?? [];
  if (least === undefined || Number.parseInt(node.version, 10) >= Number(least)) return undefined;
  return new Fault(
    "unavailable",
    `${MODULE} ${version} needs Node.js ${least}, and this is ${toText(node)}.`,
    {
      retryable: false,
      hint: "The operator starts it with a newer Node.js, or installs it again with this one: npm then chooses a version that fits.",
    },
  );
}

/** Which Node.js the native part of better-sqlite3 was built for, if that is why it cannot be loaded, and how to fix it. */
export function toLoadFault(thrown: unknown, node: RunningNode, from: URL): Fault | undefined {
  const message = thrown instanceof Error ? thrown.message : "";
  if (!NOT_LOADED.test(`${String(codeOf(thrown))} ${message}`)) return undefined;
  const folder = findModule(from);
  const abi = folder === undefined ? undefined : abiOf(folder);
  const isInstalled = folder === undefined || readManifest(folder).scripts.install !== undefined;
  const built =
    abi === undefined
      ? `The native part of ${MODULE} is missing or cannot be read`
      : abi === node.abi
        ? `The native part of ${MODULE} cannot be loaded (${message.split("\n")[0]})`
        : `${MODULE} was built for Node.js ${RELEASES[abi] ?? "of another version"} (ABI ${abi})`;
  return new Fault("unavailable", `${built}, and this is ${toText(node)}.`, {
    retryable: false,
    // The Node.js that runs comes first in the path, so that it is built for that one.
    hint: `The operator fixes it with: cd ${JSON.stringify(folder ?? ".")} && PATH="${dirname(node.program)}:$PATH" npm run ${isInstalled ? "install" : "build-release"}`,
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

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The name of the entry point contains the ABI version. */
function abiOf(folder: string): string | undefined {
  try {
    const binary = readFileSync(join(folder, "build", "Release", "better_sqlite3.node"), "latin1");
    return /node_register_module_v(\d+)/.exec(binary)?.[1];
  } catch {
    return undefined;
  }
}

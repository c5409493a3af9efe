import { defineResource, type ResourceDefinition } from "@suite/core";

import { truncate } from "../../domain/text/glimpse.ts";

/** The result of a check: what the server needs, and what there is. */
export interface Finding {
  readonly status: "ok" | "warning" | "missing";
  /** What the server needs, in a few words. */
  readonly needed: string;
  readonly found?: string;
  /** How to get what is missing. */
  readonly hint?: string;
}

/** Something a server depends on, and how to check for it. */
export interface EnvironmentCheck {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Finding | Promise<Finding>;
}

export interface EnvironmentReport {
  readonly server: string;
  readonly version: string;
  readonly healthy: boolean;
  readonly checks: readonly (Finding & { readonly name: string })[];
}

interface Identity {
  readonly name: string;
  readonly version: string;
}

const CHECK_MS = 20_000;
/** Texts may be the output of other programs, of any length. */
const LONGEST_TEXT = 500;
const LEAST_NODE = [20, 19] as const;

/** Runs all checks at once. Never rejects: a check that throws becomes a finding. */
export async function findEnvironment(
  { name, version }: Identity,
  checks: readonly EnvironmentCheck[],
  signal?: AbortSignal,
): Promise<EnvironmentReport> {
  const found = await Promise.all([nodeCheck, ...checks].map((check) => runCheck(check, signal)));
  return { server: name, version, healthy: found.every(({ status }) => status !== "missing"), checks: found };
}

const nodeCheck: EnvironmentCheck = { name: "node", run: () => findNode(process.versions.node) };

export function findNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const isNewEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  const needed = `Node.js ${LEAST_NODE.join(".")} or later`;
  if (isNewEnough) return { status: "ok", needed, found: version };
  return { status: "missing", needed, found: version, hint: "Get it from https://nodejs.org." };
}

async function runCheck(
  check: EnvironmentCheck,
  outer: AbortSignal | undefined,
): Promise<EnvironmentReport["checks"][number]> {
  const { name } = check;
  const controller = new AbortController();
  const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve({ status: "missing", needed: name, hint: "The check did not end in time." });
    }, CHECK_MS);
  });
  try {
    return toEntry(name, await Promise.race([check.run(signal), tooLong]));
  } catch (thrown) {
    const found = thrown instanceof Error ? thrown.message : String(thrown);
    return toEntry(name, { status: "missing", needed: name, found });
  } finally {
    clearTimeout(timer);
  }
}

const toEntry = (
  name: string,
  { status, needed, found, hint }: Finding,
): EnvironmentReport["checks"][number] => ({
  name,
  status,
  needed: truncate(needed, LONGEST_TEXT),
  ...(found !== undefined && { found: truncate(found, LONGEST_TEXT) }),
  ...(hint !== undefined && { hint: truncate(hint, LONGEST_TEXT) }),
});

export const ENVIRONMENT_URI = "suite://environment";

/** The report of `--doctor` as a resource for agents. */
export const createEnvironmentResource = (
  server: Identity,
  checks: readonly EnvironmentCheck[],
  redact: (data: unknown) => unknown,
): ResourceDefinition =>
  defineResource({
    uri: ENVIRONMENT_URI,
    name: "environment",
    title: "Environment",
    description: "What this server needs, what it found, and how to get what is missing",
    mimeType: "application/json",
    read: async ({ signal }) =>
      JSON.stringify(redact(await findEnvironment(server, checks, signal)), undefined, 2),
  });

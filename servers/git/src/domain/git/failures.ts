import {
  type ChildResult,
  defuse,
  Fault,
  quotePath,
  truncate,
  toVisibleLine,
} from "@suite/server-kit/domain";

import { type FailureReading, PUSH_READINGS, READINGS } from "./failure-readings.ts";
import { findCommand } from "./last-argument.ts";
import { redactUrls } from "./redact-url.ts";

const REVISION =
  /bad revision '(.+)'|ambiguous argument '(.+)': unknown revision|invalid reference: (.+)|[Nn]ot a valid object name:? '?([^'\n]+?)'?\.?$|invalid object name '(.+)'|not a commit and a branch '(.+)' cannot|cannot resolve '(.+)'|unknown commit (.+)$|malformed object name (.+)$|no such commit (.+)$|unable to resolve revision: (.+)$|Non commit (.+)\?$/m;

/** The unknown revision, if that is why git failed. */
export function findUnknownRevision(stderr: string): string | undefined {
  const [, ...names] = REVISION.exec(stderr) ?? [];
  const name = names.find((found) => found !== undefined);
  // HEAD is missing on an unborn branch, which READINGS explains.
  return name === undefined || /^HEAD(?:\^\{\w+\})?$/.test(name) ? undefined : name.replace(/\^\{\w*\}$/, "");
}

/** Whole ids, and names such as MERGE_HEAD, git takes for nothing else. */
const AMBIGUOUS = /^warning: refname '(?!(?:[A-Z_]*HEAD|[0-9a-f]{40,64})')(.+)' is ambiguous/m;

/** Git takes one of the refs that a name can mean, and only warns. */
export function findAmbiguity(stderr: string): Fault | undefined {
  const [, name] = AMBIGUOUS.exec(stderr) ?? [];
  if (name === undefined) return undefined;
  return new Fault("invalid_input", `${quotePath(name)} is ambiguous: several refs have that name`, {
    hint: "Give the whole name, as in refs/heads/main for a branch or refs/tags/v1 for a tag.",
  });
}

const LONGEST = 600;

/** Git's own message comes last: it may quote names from the repository. */
export function toGitFault({ code, stderr, stdout }: ChildResult, args: readonly string[]): Fault {
  const command = args[findCommand(args)] ?? "";
  const said = [stderr, stdout.subarray(0, LONGEST).toString()].find((text) => text.trim() !== "") ?? "";
  const details = { command: `git ${command}`, exit_code: code };
  const reading = READINGS.find(({ pattern }) => pattern.test(said));
  const words = toWords(said);
  if (!reading) {
    return new Fault("internal", `git ${command} failed${words === "" ? "" : `: ${words}`}`, { details });
  }
  return toReadFault(reading, `git ${command}: ${words}`, details);
}

/** For a push that exited with 1. Some refs may still have been pushed. */
export function toPushFault(result: ChildResult, pushed: readonly string[]): Fault {
  const { code, stderr, stdout } = result;
  const lines = stdout.toString();
  const reading = PUSH_READINGS.find(({ pattern }) => pattern.test(lines));
  // No ref was attempted: the connection failed, or a local hook refused.
  if (!reading) return toGitFault(result, ["push"]);
  const declined = lines.split("\n").filter((line) => line.startsWith("!"));
  const words = toWords([...declined, stderr].join("\n"));
  const rest = pushed.length === 0 ? "" : `; pushed all the same: ${toWords(pushed.join(", "))}`;
  return toReadFault(reading, `git push: ${words}${rest}`, {
    command: "git push",
    exit_code: code,
    ...(pushed.length > 0 && { pushed }),
  });
}

const toReadFault = (
  { pattern: _, code, says, ...options }: FailureReading,
  words: string,
  details: { readonly [key: string]: unknown },
): Fault => new Fault(code, `${says} (${words})`, { ...options, details });

/** Advice with commands for a terminal, which do not apply here. */
const ADVICE = /^(?:hint|warning):|^Please |^Aborting|\b(?:consider|try|use) "?'?git /i;

/** Git's message on one line, without duplicates, advice, invisible characters or credentials. */
function toWords(text: string): string {
  const said = text.split("\n").map((line) => line.replace(/^(?:error|fatal): /, "").trim());
  const lines = [...new Set(said)].filter((line) => line !== "" && !ADVICE.test(line));
  const line = defuse(toVisibleLine(redactUrls(lines.join("; ").replaceAll(/\s+/g, " "))));
  return truncate(line, LONGEST);
}

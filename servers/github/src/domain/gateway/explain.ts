import { countOf, Fault, type FaultCode, type FaultOptions, isObject } from "@suite/server-kit/domain";

import { type Fields, toFields, toList, toText } from "../answers/projection.ts";
import { limitOf } from "./limits.ts";
import type { OctokitAnswer } from "./octokit-fetch.ts";

/** What a failed request was. */
export interface Failed {
  readonly method: string;
  readonly path: string;
  /** Queries of GraphQL are sent with POST, too. */
  readonly isRead: boolean;
  readonly isAnonymous: boolean;
}

/** It failed before anything was sent: no token could be obtained, or something could not be looked up. */
export class Unsent extends Fault {}

const UNCONNECTED =
  /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENODATA|ENOTFOUND|UND_ERR_CONNECT_TIMEOUT)$/;

/** Whether there was no connection, and so nothing was sent. */
const isUnconnected = ({ details, cause }: Fault): boolean =>
  details?.["proxy"] === "unreachable" ||
  [cause, toFields(cause)["cause"], toList(toFields(cause)["errors"])[0]].some((each) =>
    UNCONNECTED.test(toText(isObject(each) || each instanceof Error ? (each as Fields)["code"] : "")),
  );

/** GitHub's own words are data from outside: kept short, and on one line. */
const LONGEST_QUOTE = 300;
const quote = (text: unknown): string => toText(text).replaceAll(/\s+/g, " ").slice(0, LONGEST_QUOTE);

/** Turns a failed request into a fault that an agent can act on. */
export function explain(thrown: unknown, failed: Failed): Fault {
  const { cause, response } = toFields(thrown);
  const fault = thrown instanceof Fault ? thrown : cause;
  if (
    fault instanceof Fault &&
    (failed.isRead || fault instanceof Unsent || isUnconnected(fault) || !isOfNetwork(fault))
  )
    return fault;
  if (!isObject(response)) return explainBroken(thrown, failed);
  // Octokit attaches the response to its errors.
  const { status, headers, data } = response as unknown as OctokitAnswer;
  const answer: OctokitAnswer = { status, headers: headers ?? {}, data };
  return explainLimit(answer, failed) ?? explainStatus(answer, failed);
}

/** A network failure, after which a read may be repeated. */
const isOfNetwork = ({ code, retryable }: Fault): boolean =>
  retryable && (code === "unavailable" || code === "timeout");

export const UNKNOWN_WHETHER_DONE = "It is unknown whether this was done: check before you repeat it.";

/** The connection failed; a write may still have arrived. */
function explainBroken(cause: unknown, failed: Failed): Fault {
  if (failed.isRead) {
    return new Fault("unavailable", "GitHub could not be reached.", { cause, retryAfterMs: 1000 });
  }
  return new Fault("unavailable", `The connection to GitHub broke during ${failed.method} ${failed.path}.`, {
    retryable: false,
    hint: UNKNOWN_WHETHER_DONE,
    cause,
  });
}

/** A read may be repeated, as the options say. */
const toUnavailable = (words: string, { isRead }: Failed, options: FaultOptions): Fault =>
  new Fault("unavailable", words, isRead ? options : { retryable: false, hint: UNKNOWN_WHETHER_DONE });

/** A response with status 200 may have errors, or only a message. */
export function requireGraphqlData(answer: OctokitAnswer, failed: Failed): Fields {
  const { data, errors, message } = toFields(answer.data);
  const [first] = toList(errors);
  if (first !== undefined) throw explainGraphql(first, failed);
  if (isObject(data)) return data;
  throw toUnavailable(`GitHub answered a GraphQL request without data: ${quote(message)}`, failed, {
    hint: "Try again in a moment.",
  });
}

function explainGraphql(error: unknown, failed: Failed): Fault {
  const { type, message } = toFields(error);
  const words = `GitHub refused a GraphQL request: ${quote(message)}`;
  switch (type) {
    case "NOT_FOUND":
      return new Fault("not_found", words, { hint: "Check owner, repo, number and ids." });
    case "FORBIDDEN":
    case "INSUFFICIENT_SCOPES":
      return new Fault("permission_denied", words, { hint: "The token is not allowed to do this." });
    default:
      return new Fault(failed.isRead ? "unavailable" : "conflict", words);
  }
}

/** An HTML page, such as a proxy's login, may also have status 200. */
export function requireData(answer: OctokitAnswer, failed: Failed): OctokitAnswer {
  const { data } = answer;
  const isData = typeof data === "object" && !(data instanceof ArrayBuffer);
  if (isData || data === "") return answer;
  throw toUnavailable(
    `The response to ${failed.method} ${failed.path} did not come from GitHub's API.`,
    failed,
    { hint: "The operator should check --host, --api-url and the proxy." },
  );
}

function explainLimit(answer: OctokitAnswer, { path }: Failed): Fault | undefined {
  const limit = limitOf(answer);
  if (limit === undefined) return undefined;
  const { isSecondary, retryAfterMs } = limit;
  const resource = String(
    answer.headers["x-ratelimit-resource"] ?? (path === "/graphql" ? "graphql" : "core"),
  );
  const which = isSecondary ? "secondary rate limit" : `rate limit for ${resource} requests`;
  return new Fault(
    "rate_limited",
    `GitHub's ${which} is used up. It resets in ${countOf(Math.ceil(retryAfterMs / 1000), "second")}.`,
    {
      retryAfterMs,
      hint: isSecondary
        ? "Wait, then make fewer requests at a time."
        : "Wait until then. get_rate_limit shows all quotas; with a token they are larger.",
    },
  );
}

const CODES: { readonly [status: number]: FaultCode } = {
  400: "invalid_input",
  401: "permission_denied",
  403: "permission_denied",
  404: "not_found",
  405: "precondition_failed",
  406: "too_large",
  409: "conflict",
  410: "not_found",
  412: "precondition_failed",
  413: "too_large",
  422: "invalid_input",
  451: "permission_denied",
};

function explainStatus(answer: OctokitAnswer, failed: Failed): Fault {
  const { status, data } = answer;
  const message = quote(toFields(data)["message"]);
  const words = `GitHub refused ${failed.method} ${failed.path} (${status}${message === "" ? "" : `: ${message}`}).`;
  const code = isTooLarge(data) ? "too_large" : CODES[status];
  if (code === undefined) {
    return toUnavailable(
      `GitHub answered ${failed.method} ${failed.path} with a server error (${status}).`,
      failed,
      { retryAfterMs: 5000, hint: "Try again in a moment." },
    );
  }
  const errors = validationErrors(data);
  const hint = status === 422 ? hintForInvalid(errors, data) : hintFor(answer, failed);
  return new Fault(code, errors.length === 0 ? words : `${words} ${errors.join(" ")}`, {
    ...(hint !== undefined && { hint }),
    details: {
      status,
      ...(errors.length > 0 && { errors }),
      ...(status === 404 && { request: `${failed.method} ${failed.path}` }),
    },
  });
}

/** GitHub may use status 403 for this. */
const isTooLarge = (data: unknown): boolean =>
  toList(toFields(data)["errors"]).some((error) => toFields(error)["code"] === "too_large");

function hintFor(
  { status, headers, data }: OctokitAnswer,
  { isAnonymous, path }: Failed,
): string | undefined {
  if (status === 401) {
    return isAnonymous
      ? "This server has no token, and this needs one: the operator has to set GITHUB_TOKEN."
      : "The token is no longer valid. The operator has to set a new one.";
  }
  const message = toText(toFields(data)["message"]);
  if (status === 406)
    return "It is too large to fetch whole: get_files lists the files, with fields patch for each.";
  if (isTooLarge(data)) return undefined;
  if (EMPTY.test(message)) return "It has no commit yet: create_or_update_file makes the first one.";
  if (status === 403 || status === 404) {
    const missing = missingRights(headers, message);
    if (missing !== undefined && status === 403) return missing;
    if (isAnonymous) return "This server has no token, so it only sees public data.";
    if (status === 403)
      return "See GitHub's reason above: the token may lack a permission, or this may not be allowed here.";
    return `Check the names and numbers in ${path}. GitHub also answers 404 for what the token cannot see.`;
  }
  if (status === 409 && / does not match |expected |was modified/.test(message))
    return "It has changed since you read it: read it again and pass its new sha.";
  if (status === 405)
    return "Check its state with pull_request_read: conflicts, failing checks or branch rules may block it.";
  return PROTECTED.test(message) ? USE_ANOTHER_BRANCH : undefined;
}

/** GitHub's messages for a branch with rules. */
const PROTECTED = /rule violations|protected branch|through a pull request|approving review|required status/i;
const USE_ANOTHER_BRANCH =
  "The branch has rules against this: write to another branch (create_branch), and open a pull request.";

export const isMissing = (thrown: unknown): boolean => thrown instanceof Fault && thrown.code === "not_found";

/** GitHub's messages for a repository without commits: "Git Repository is empty." and "This repository is empty." */
export const EMPTY = /repository is empty/i;

export const OFF_THE_DIFF =
  "A comment has to be on a line of the diff: pull_request_read with get_diff shows them, and side LEFT is for removed ones.";

function hintForInvalid(errors: readonly string[], data: unknown): string {
  if (PROTECTED.test(toText(toFields(data)["message"]))) return USE_ANOTHER_BRANCH;
  if (errors.some((error) => /could not be resolved|part of the (pull request )?diff/i.test(error)))
    return OFF_THE_DIFF;
  if (toList(toFields(data)["errors"]).some((error) => typeof toFields(error)["field"] === "string"))
    return "Correct the arguments named above.";
  const isSaid = errors.length > 0 || !/^(Validation Failed)?$/.test(toText(toFields(data)["message"]));
  const reason = isSaid ? "See GitHub's reason above." : "GitHub did not say which argument is wrong.";
  return `${reason} Check the current state before retrying.`;
}

/** What the token lacks, from GitHub's headers for classic and fine-grained tokens. */
function missingRights(headers: OctokitAnswer["headers"], message: string): string | undefined {
  const sso = toText(headers["x-github-sso"]);
  if (sso !== "") return `The organization asks for single sign-on: ${authorizeAt(sso)}`;
  const permissions = toText(headers["x-accepted-github-permissions"]);
  const accepted = toText(headers["x-accepted-oauth-scopes"]);
  const has = headers["x-oauth-scopes"];
  const scopes = String(has).split(/,\s*/);
  if (
    accepted !== "" &&
    has !== undefined &&
    !accepted.split(/,\s*/).some((scope) => scopes.includes(scope))
  ) {
    return `The token has the scopes "${String(has)}" and needs one of "${accepted}".`;
  }
  // GitHub sends this header whatever it refuses for: an archived repository or a locked issue, too.
  if (permissions === "" || !/not accessible/i.test(message)) return undefined;
  return `The token needs the permissions ${permissions.replaceAll("; ", " or ").replaceAll("=", ": ")}.`;
}

const authorizeAt = (sso: string): string => {
  const [, url] = /\burl=(https:\/\/[^\s;,]{1,500})/.exec(sso) ?? [];
  return `the token's owner has to authorize it there${url === undefined ? "." : `: ${url}`}`;
};

/** What GitHub left out of a list because the token is not authorized for single sign-on; undefined if nothing. */
export function missingForSso(headers: OctokitAnswer["headers"]): string | undefined {
  const sso = toText(headers["x-github-sso"]);
  if (!sso.startsWith("partial-results")) return undefined;
  const [, ids] = /\borganizations=([\d,]{1,500})/.exec(sso) ?? [];
  const which = ids === undefined ? "" : ` (with the ids ${ids.replaceAll(",", ", ")})`;
  return `GitHub left out what organizations with single sign-on have${which}: ${authorizeAt(sso)}`;
}

function validationErrors(data: unknown): string[] {
  return toList(toFields(data)["errors"])
    .slice(0, 10)
    .map((error) => {
      if (typeof error === "string") return quote(error);
      const { resource, field, code, message } = toFields(error);
      const place = [resource, field].filter((part) => typeof part === "string").join(".");
      const what = quote(message).replace(/\.$/, "") || quote(code).replaceAll("_", " ");
      return place === "" ? `${what}.` : `${place}: ${what}.`;
    });
}

import { type ChildResult, Fault } from "@suite/server-kit/domain";

import type { GitCallOptions, RepositoryCall } from "../git/repository-call.ts";

const WITHOUT_PERL = /not compiled with USE_LIBPCRE/;
/** What extended patterns lack, or take for something else. */
const PERL_ONLY = /\\[a-z]|\(\?/i;

/** Git takes only the newline off a line, so `$` would not match in lines that end with "\r\n". */
const ANY_LINE_END = "(*ANYCRLF)";

/**
 * Patterns are Perl's by the settings of every run, except where git was built without them. `toArgs` takes what to put
 * before each pattern for lines of files; a pattern may begin with such verbs of its own.
 */
export async function runWithPatterns(
  call: RepositoryCall,
  patterns: readonly string[],
  toArgs: (verb: string) => readonly string[],
  options?: GitCallOptions,
): Promise<ChildResult> {
  try {
    return await call.run(toArgs(ANY_LINE_END), options);
  } catch (thrown) {
    if (!(thrown instanceof Fault && WITHOUT_PERL.test(thrown.message))) throw asGiven(thrown);
  }
  const refused = patterns.find((pattern) => PERL_ONLY.test(pattern));
  if (refused !== undefined) {
    throw new Fault("unsupported", `The git of this server does not know ${PERL_ONLY.exec(refused)?.[0]}`, {
      hint: String.raw`Write [0-9] for \d, [[:alnum:]_] for \w, [[:space:]] for \s, and ( for (?:.`,
    });
  }
  return call.run(["-c", "grep.patternType=extended", ...toArgs("")], options);
}

/** Git names a pattern that it refuses. */
function asGiven(thrown: unknown): unknown {
  if (!(thrown instanceof Fault && thrown.message.includes(ANY_LINE_END))) return thrown;
  const { code, message, hint, details } = thrown;
  return new Fault(code, message.replace(ANY_LINE_END, ""), { hint, details, cause: thrown });
}

/** For an empty result: what other kinds of patterns write with a backslash means just that character here. */
export const noteOtherKind = (...patterns: readonly (string | undefined)[]): string | undefined =>
  patterns.some((pattern) => pattern !== undefined && /\\[|<>]/.test(pattern))
    ? String.raw`Patterns are Perl's: a|b is one or the other, \b the edge of a word.`
    : undefined;

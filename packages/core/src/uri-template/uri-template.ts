import { expandParts, type TemplateValues } from "./expand.ts";
import { matchSteps } from "./match.ts";
import { type MatchStep, toMatchSteps } from "./match-steps.ts";
import { parseTemplate } from "./parse.ts";

/** A parsed URI template of RFC 6570. */
export interface UriTemplate {
  readonly source: string;
  /** In order of appearance, each once. */
  readonly variables: readonly string[];
  /** RFC 6570, level 4. Undefined values and empty lists or maps are left out. */
  expand(values: TemplateValues): string;
  /**
   * The reverse of `expand`: percent-decoded values, or undefined when the URI does not fit. Values are a client's
   * words: `%2F..` decodes to `/..`, so check them before use. The object has no prototype.
   *
   * - `{a}` takes one character or more, but no `/`, `?` or `#`; `{+a}` and `{#a}` take any character.
   * - A variable ends as early as what follows it allows, the last one at the end of the URI.
   * - A value directly before `{a}` or `{+a}` (nothing written between them) takes all it can, and the later
   *   one may be empty: `{host}{+path}` parts at the first slash.
   * - `{.a}`, `{/a}`, `{;a}`, `{?a}`, `{&a}`, `{#a}` and all but the first of `{a,b}` are optional, filled from the
   *   left; what is missing has no key. Values in a list such as `{a,b}` hold no raw separator.
   * - Parameters of `;`, `?` and `&` come in any order; an unknown or needlessly repeated one does not match.
   * - `{a*}` gives an array always, `{a}` a string always (a list written by `{a}` comes back joined by commas).
   *   Maps do not come back.
   * - A variable used twice must have one value; `{a:3}` must be its first three characters at most.
   */
  match(uri: string): Record<string, string | string[]> | undefined;
}

/** Throws a `UriTemplateError` with the position. */
export function parseUriTemplate(source: string): UriTemplate {
  const parts = parseTemplate(source);
  const names = parts.flatMap((part) =>
    part.kind === "literal" ? [] : part.variables.map(({ name }) => name),
  );
  let steps: readonly MatchStep[] | undefined;
  return {
    source,
    variables: [...new Set(names)],
    expand: (values) => expandParts(parts, values),
    match: (uri) => matchSteps((steps ??= toMatchSteps(parts)), uri),
  };
}

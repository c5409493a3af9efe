const LONGEST = 214;
const PATTERN = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** What a person did wrong, in words for that person. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface ProjectName {
  /** As npm knows it, with its scope. */
  readonly package: string;
  /** Without: the folder, the command, and what the server calls itself. */
  readonly short: string;
}

export function parseName(text: string): ProjectName {
  if (text.length > LONGEST || !PATTERN.test(text)) {
    throw new UsageError(
      `"${text}" cannot be the name of a package: lowercase letters, digits, ".", "_" and "-", as in weather or @me/weather`,
    );
  }
  return { package: text, short: text.replace(/^.*\//, "") };
}

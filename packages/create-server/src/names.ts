const LONGEST = 214;
const PATTERN = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** A mistake of the user, with a message for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface ProjectName {
  /** As npm knows it, with its scope. */
  readonly package: string;
  /** Without the scope: the name of the folder, the command and the server. */
  readonly short: string;
}

export function parseName(text: string): ProjectName {
  if (text.length > LONGEST || !PATTERN.test(text)) {
    throw new UsageError(
      `"${text}" is not a valid package name: use lowercase letters, digits, ".", "_" and "-", as in weather or @me/weather`,
    );
  }
  return { package: text, short: text.replace(/^.*\//, "") };
}

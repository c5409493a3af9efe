const INTRODUCER = new RegExp(String.raw`[\x1B\x80-\x84\x86-\x9F]`);

/** Stops at control characters: an unterminated string must not swallow the rest, nor cause quadratic matching. */
const STRING = String.raw`[^\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]*`;

const SEQUENCES = new RegExp(
  [
    // Operating system commands (titles, links), ended by a bell or a string terminator.
    String.raw`(?:\x1B\]|\x9D)${STRING}(?:\x07|\x1B\\|\x9C)`,
    // Device control, start of string, privacy message, application program command.
    String.raw`(?:\x1B[PX^_]|[\x90\x98\x9E\x9F])${STRING}(?:\x1B\\|\x9C)`,
    // Colours, cursor, erasing; also if truncated.
    String.raw`(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]?`,
    // Character sets and single commands.
    String.raw`\x1B[ -/]*[0-~]?`,
    // NEL (85) is a line end, all others are the 8-bit forms of the above.
    String.raw`[\x80-\x84\x86-\x9F]`,
  ].join("|"),
  "g",
);

/** Removes terminal escapes from a program's output. Carriage returns stay: the text they overwrite is output, too. */
export function stripTerminal(text: string): string {
  return INTRODUCER.test(text) ? text.replace(SEQUENCES, "") : text;
}

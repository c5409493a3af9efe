import { Fault, quotePath, renderParts, untrusted } from "@suite/server-kit/domain";
import type { LineText, Span } from "./line-text.ts";
import { type Candidate, findNearest } from "./nearest-lines.ts";

/** Which edit, of how many, in which file. */
export interface EditPlace {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
}

const MOST_LISTED = 10;

const nameOf = ({ edit, edits }: EditPlace): string => (edits === 1 ? "oldText" : `oldText of edit ${edit}`);
const NOTHING = "Nothing was changed.";

export const refuseEmpty = (place: EditPlace): Fault =>
  new Fault("invalid_input", `${nameOf(place)} is empty`, {
    hint: `${NOTHING} Give some text to put the new text in place of, or use append_file or write_file.`,
  });

export function refuseAmbiguous(place: EditPlace, source: LineText, found: readonly Span[]): Fault {
  const lines = found.slice(0, MOST_LISTED).map(({ start }) => source.lineAt(start));
  const more = found.length > MOST_LISTED ? ", …" : "";
  const message = `${nameOf(place)} occurs ${found.length} times in ${quotePath(place.path)} (lines ${lines.join(", ")}${more})`;
  return new Fault("conflict", message, {
    hint: `${NOTHING} Add lines around it until it is unique, or set replace_all.`,
    details: { edit: place.edit, matches: found.length, lines },
  });
}

export function refuseMissing(place: EditPlace, source: LineText, wanted: string): Fault {
  const nearest = findNearest(source.plain, wanted);
  const message = `${nameOf(place)} is not in ${quotePath(place.path)}`;
  const details = { edit: place.edit, nearest: nearest.map(({ line }) => line) };
  if (nearest.length === 0) {
    return new Fault("not_found", message, {
      hint: `${NOTHING} Read the file again, and copy from it.`,
      details,
    });
  }
  // What stands in the file is not ours to say: it is fenced like any other reading of it.
  const shown = untrusted(nearest.map(toNumberedLines).join("\n…\n"), place.path);
  return new Fault("not_found", renderParts([`${message}. Nearest to it:`, shown]), {
    hint: `${NOTHING} Copy the text from there.`,
    details,
  });
}

const toNumberedLines = ({ line, lines }: Candidate): string =>
  lines.map((text, index) => `${line + index}: ${text}`).join("\n");

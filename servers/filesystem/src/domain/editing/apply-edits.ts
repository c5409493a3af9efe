import {
  type CharacterRange,
  conceal,
  Fault,
  findOverlapping,
  LineText,
  quotePath,
  type Replacement,
  type TimeSlices,
  toMissingText,
} from "@suite/server-kit/domain";
import { findExact, findLoosely, lengthAfter, requireBounded } from "./find-matches.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditOptions {
  /** For error messages. */
  readonly path: string;
  readonly slices: TimeSlices;
}

export interface EditedText {
  readonly text: string;
  /** Numbers of the edits whose oldText was found with different white space. */
  readonly loose: readonly number[];
}

/** Applies edits in order, each to the result of the one before. Throws if one cannot be applied. */
export async function applyEdits(
  text: string,
  edits: readonly Edit[],
  options: EditOptions,
): Promise<EditedText> {
  let edited = text;
  const loose: number[] = [];
  for (const [index, edit] of edits.entries()) {
    const place = { path: options.path, edit: index + 1, edits: edits.length };
    if (edit.oldText === "") throw refuseEmpty(place);
    const source = new LineText(edited);
    const { found, isLoose } = findReplacements(source.plain, edit);
    const [first, ...others] = found;
    if (!first) {
      throw toMissingText(`${nameOf(place)} is not in ${fileOf(place)}`, {
        text: source.plain,
        wasThere: index > 0 && findReplacements(toPlain(text), edit).found.length > 0,
        wanted: toPlain(edit.oldText),
        path: place.path,
        details: { edit: place.edit },
      });
    }
    const second = others[0] ?? (isLoose ? undefined : findOverlapping(source.plain, first));
    if (second && !edit.replace_all) {
      throw refuseAmbiguous(place, source, others.length > 0 ? found : [first, second]);
    }
    if (isLoose) loose.push(place.edit);
    requireBounded(found.length, lengthAfter(source.plain, found));
    edited = source.replace(found);
    await options.slices.look();
  }
  return { text: edited, loose };
}

interface FoundPlaces {
  readonly found: readonly Replacement[];
  readonly isLoose: boolean;
}

/** Exact matches; if there are none, lines that are equal except for white space. */
function findReplacements(text: string, { oldText, newText }: Edit): FoundPlaces {
  const concealed = conceal(oldText);
  const ways = [
    { wanted: oldText, replacement: newText },
    // Readers see hidden characters as escapes: a copied escape may stand for the character.
    ...(concealed === oldText ? [] : [{ wanted: concealed, replacement: conceal(newText) }]),
  ].map(({ wanted, replacement }) => ({ wanted: toPlain(wanted), replacement }));
  for (const { wanted, replacement } of ways) {
    const found = findExact(text, wanted).map((span) => ({ ...span, text: replacement }));
    if (found.length > 0) return { found, isLoose: false };
  }
  for (const { wanted, replacement } of ways) {
    const found = findLoosely(text, wanted, replacement);
    if (found.length > 0) return { found, isLoose: true };
  }
  return { found: [], isLoose: false };
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

/** Which edit, of how many, in which file. */
interface EditPlace {
  readonly path: string;
  readonly edit: number;
  readonly edits: number;
}

const MOST_LISTED = 10;

const nameOf = ({ edit, edits }: EditPlace): string => (edits === 1 ? "oldText" : `oldText of edit ${edit}`);
const fileOf = ({ path, edit }: EditPlace): string =>
  edit === 1 ? quotePath(path) : `${quotePath(path)} after the edits before it`;
const NOTHING = "Nothing was changed.";

const refuseEmpty = (place: EditPlace): Fault =>
  new Fault("invalid_input", `${nameOf(place)} is empty`, {
    hint: `${NOTHING} Give the text to replace, or use append_file or write_file.`,
  });

function refuseAmbiguous(place: EditPlace, source: LineText, found: readonly CharacterRange[]): Fault {
  const lines = found.slice(0, MOST_LISTED).map(({ start }) => source.lineAt(start));
  const more = found.length > MOST_LISTED ? ", …" : "";
  const message = `${nameOf(place)} occurs ${found.length} times in ${fileOf(place)} (lines ${lines.join(", ")}${more})`;
  return new Fault("conflict", message, {
    hint: `${NOTHING} Add lines around it until it is unique, or set replace_all.`,
    details: { edit: place.edit, matches: found.length, lines },
  });
}

import { conceal, type TimeSlices } from "@suite/server-kit/domain";
import { refuseAmbiguous, refuseEmpty, refuseMissing } from "./edit-refusals.ts";
import { findExact, findLoosely, findOverlapping, lengthAfter, requireBounded } from "./find-matches.ts";
import { LineText, type Replacement } from "./line-text.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditOptions {
  /** For words. */
  readonly path: string;
  readonly slices: TimeSlices;
}

export interface EditedText {
  readonly text: string;
  /** Numbers of the edits whose text was found with other white space. */
  readonly loose: readonly number[];
}

/** Applies edits one after the other, each to what the one before made of the text: all of them, or it fails. */
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
    if (!first) throw refuseMissing(place, source, toPlain(edit.oldText));
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

/** Exactly as it was given; else the lines that are the same but for white space. */
function findReplacements(text: string, { oldText, newText }: Edit): FoundPlaces {
  const concealed = conceal(oldText);
  const ways = [
    { wanted: oldText, replacement: newText },
    // Hidden characters are shown to readers as escapes; who copies such a line means the characters.
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

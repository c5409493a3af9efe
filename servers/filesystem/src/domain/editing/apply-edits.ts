import { conceal, type TimeSlices } from "@suite/server-kit/domain";
import { refuseAmbiguous, refuseEmpty, refuseMissing } from "./edit-refusals.ts";
import { findExact, findLoosely, lengthAfter, requireBounded } from "./find-matches.ts";
import { LineText, type Replacement } from "./line-text.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditOptions {
  /** For words. */
  readonly path: string;
  readonly ignoreWhitespace?: boolean | undefined;
  readonly slices: TimeSlices;
}

/** Applies edits one after the other, each to what the one before made of the text: all of them, or it fails. */
export async function applyEdits(
  text: string,
  edits: readonly Edit[],
  options: EditOptions,
): Promise<string> {
  let edited = text;
  for (const [index, edit] of edits.entries()) {
    const place = { path: options.path, edit: index + 1, edits: edits.length };
    if (edit.oldText === "") throw refuseEmpty(place);
    const source = new LineText(edited);
    const found = findReplacements(source.plain, edit, options.ignoreWhitespace ?? false);
    if (found.length === 0) throw refuseMissing(place, source, toPlain(edit.oldText));
    if (found.length > 1 && !edit.replace_all) throw refuseAmbiguous(place, source, found);
    requireBounded(found.length, lengthAfter(source.plain, found));
    edited = source.replace(found);
    await options.slices.look();
  }
  return edited;
}

function findReplacements(text: string, { oldText, newText }: Edit, isLoose: boolean): Replacement[] {
  const concealed = conceal(oldText);
  const ways = [
    { wanted: oldText, replacement: newText },
    // Hidden characters are shown to readers as escapes; who copies such a line means the characters.
    ...(concealed === oldText ? [] : [{ wanted: concealed, replacement: conceal(newText) }]),
  ].map(({ wanted, replacement }) => ({ wanted: toPlain(wanted), replacement }));
  for (const { wanted, replacement } of ways) {
    const exact = findExact(text, wanted).map((span) => ({ ...span, text: replacement }));
    const found = exact.length > 0 || !isLoose ? exact : findLoosely(text, wanted, replacement);
    if (found.length > 0) return found;
  }
  return [];
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

import {
  type CharacterRange,
  conceal,
  Fault,
  findOverlapping,
  findText,
  LineText,
  toMissingText,
} from "@suite/server-kit/domain";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Applies the edits in order. Each old text must occur exactly once when its turn comes. */
export function applyEdits(text: string, edits: readonly Edit[], path: string): string {
  const unedited = toPlain(text);
  return edits.reduce((current, edit, at) => applyEdit(current, edit, { at, path, unedited }), text);
}

const LEAST_TELLING = 12;

interface EditPlace {
  readonly at: number;
  readonly path: string;
  /** The text before the first edit, its lines ending with \n. */
  readonly unedited: string;
}

function applyEdit(
  text: string,
  { old_text: old, new_text: next }: Edit,
  { at, path, unedited }: EditPlace,
): string {
  const name = `edits[${at}]`;
  if (old === "") throw new Fault("invalid_input", `${name}.old_text is empty.`);
  if (old === next)
    throw new Fault("invalid_input", `${name} changes nothing: old_text and new_text are the same.`);
  const file = at === 0 ? path : `${path} after the edits before it`;
  const source = new LineText(text);
  const found = findOld(source.plain, old);
  if (!found) {
    const wasThere = at > 0 && findOld(unedited, old) !== undefined;
    // A short text may be there for other reasons.
    const isTelling = next.trim().length >= LEAST_TELLING;
    const isMade = !wasThere && isTelling && findText(unedited, toPlain(next), 1).length > 0;
    const message = `${name}.old_text is not in ${file}`;
    if (!isMade) throw toMissingText(message, { text: source.plain, wasThere, wanted: toPlain(old), path });
    throw new Fault("not_found", message, {
      hint: "Nothing was changed. Its new_text is there: was this edit made already?",
    });
  }
  const { read, first, second = findOverlapping(source.plain, first) } = found;
  if (second) {
    throw new Fault("conflict", `${name}.old_text is in ${file} more than once.`, {
      hint: "Give more of the lines around it, so that it is there once. Nothing was changed.",
    });
  }
  return source.replace([{ ...first, text: read(next) }]);
}

interface FoundText {
  /** How the text of the edit has to be read. */
  readonly read: typeof conceal;
  readonly first: CharacterRange;
  readonly second?: CharacterRange;
}

/** Hidden characters are shown as escapes; copied text may contain those instead. */
function findOld(plain: string, old: string): FoundText | undefined {
  for (const read of [String, conceal]) {
    const [first, second] = findText(plain, toPlain(read(old)), 2);
    if (first) return { read, first, ...(second && { second }) };
  }
  return undefined;
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

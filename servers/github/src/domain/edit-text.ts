import { conceal, Fault, LineText, toMissingText } from "@suite/server-kit/domain";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Applies the edits in order. Each old text must occur exactly once when its turn comes. */
export function applyEdits(text: string, edits: readonly Edit[], path: string): string {
  const unedited = toPlain(text);
  return edits.reduce((current, edit, at) => applyEdit(current, edit, { at, path, unedited }), text);
}

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
  // Hidden characters are shown as escapes; copied text may contain those instead.
  const findWay = (plain: string): typeof conceal | undefined =>
    [String, conceal].find((read) => plain.includes(toPlain(read(old))));
  const way = findWay(source.plain);
  if (way === undefined) {
    const wasThere = at > 0 && findWay(unedited) !== undefined;
    const isMade = !wasThere && next !== "" && unedited.includes(toPlain(next));
    const message = `${name}.old_text is not in ${file}`;
    if (!isMade) throw toMissingText(message, { text: source.plain, wasThere, wanted: toPlain(old), path });
    throw new Fault("not_found", message, {
      hint: "Nothing was changed. Its new_text is there: was this edit made already?",
    });
  }
  const found = toPlain(way(old));
  const start = source.plain.indexOf(found);
  if (source.plain.includes(found, start + 1)) {
    const count = source.plain.split(found).length - 1;
    throw new Fault("conflict", `${name}.old_text is in ${file} ${Math.max(2, count)} times.`, {
      hint: "Give more of the lines around it, so that it is there once. Nothing was changed.",
    });
  }
  return source.replace([{ start, end: start + found.length, text: way(next) }]);
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

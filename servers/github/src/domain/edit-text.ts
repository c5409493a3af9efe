import { conceal, Fault, LineText, toMissingText } from "@suite/server-kit/domain";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Applies the edits in order. Each old text must occur exactly once when its turn comes. */
export function applyEdits(text: string, edits: readonly Edit[], path: string): string {
  return edits.reduce((current, edit, at) => applyEdit(current, edit, `edits[${at}]`, path), text);
}

function applyEdit(
  text: string,
  { old_text: old, new_text: next }: Edit,
  name: string,
  path: string,
): string {
  if (old === "") throw new Fault("invalid_input", `${name}.old_text is empty.`);
  if (old === next)
    throw new Fault("invalid_input", `${name} changes nothing: old_text and new_text are the same.`);
  const source = new LineText(text);
  // Hidden characters are shown as escapes; copied text may contain those instead.
  const way = [String, conceal].find((read) => source.plain.includes(toPlain(read(old))));
  if (way === undefined) {
    const isThere = next !== "" && source.plain.includes(toPlain(next));
    const message = `${name}.old_text is not in ${path}`;
    if (!isThere) throw toMissingText(message, { text: source.plain, wanted: toPlain(old), path });
    throw new Fault("not_found", message, {
      hint: "Nothing was changed. Its new_text is there: was this edit made already?",
    });
  }
  const found = toPlain(way(old));
  const start = source.plain.indexOf(found);
  if (source.plain.includes(found, start + 1)) {
    const count = source.plain.split(found).length - 1;
    throw new Fault("conflict", `${name}.old_text is in ${path} ${Math.max(2, count)} times.`, {
      hint: "Give more of the lines around it, so that it is there once. Nothing was changed.",
    });
  }
  return source.replace([{ start, end: start + found.length, text: way(next) }]);
}

const toPlain = (text: string): string => text.replaceAll("\r\n", "\n");

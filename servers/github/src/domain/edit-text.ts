import { conceal, Fault, LineText } from "@suite/server-kit/domain";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Replaces each old text by its new one. Each has to be there exactly once when its turn comes. */
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
  // Hidden characters are shown as escapes; who copies such a line means the characters.
  const way = [String, conceal].find((read) => source.plain.includes(toPlain(read(old))));
  if (way === undefined) {
    const isThere = next !== "" && source.plain.includes(toPlain(next));
    throw new Fault("not_found", `${name}.old_text is not in ${path}.`, {
      hint: isThere
        ? "Its new_text is: was this edit made already? Nothing was changed."
        : "It has to be there letter by letter: read the file again with get_file_contents. Nothing was changed.",
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

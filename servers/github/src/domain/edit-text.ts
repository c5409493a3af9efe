import { conceal, Fault } from "@suite/server-kit/domain";

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
  // What a model was shown may have had escapes for what cannot be seen, and other line ends.
  const candidates = [old, conceal(old), old.replaceAll(/\r?\n/g, "\r\n")];
  const found = candidates.find((candidate) => text.includes(candidate));
  if (found === undefined) {
    const isThere = next !== "" && text.includes(next);
    throw new Fault("not_found", `${name}.old_text is not in ${path}.`, {
      hint: isThere
        ? "Its new_text is: was this edit made already? Nothing was changed."
        : "It has to be there letter by letter: read the file again with get_file_contents. Nothing was changed.",
    });
  }
  const at = text.indexOf(found);
  if (text.includes(found, at + 1)) {
    const count = text.split(found).length - 1;
    throw new Fault("conflict", `${name}.old_text is in ${path} ${Math.max(2, count)} times.`, {
      hint: "Give more of the lines around it, so that it is there once. Nothing was changed.",
    });
  }
  const replacement =
    found.includes("\r\n") && !old.includes("\r\n") ? next.replaceAll(/\r?\n/g, "\r\n") : next;
  return text.slice(0, at) + replacement + text.slice(at + found.length);
}

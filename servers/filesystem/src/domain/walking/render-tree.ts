import type { TreeDirectory } from "./tree.ts";

/**
 * An indented tree, directories with a slash behind. What a page cannot hang below a directory on the same page starts at
 * the margin, with its whole path.
 */
export function renderTree(tree: readonly TreeDirectory[]): string {
  const byPath = new Map(tree.map((directory) => [directory.path, directory]));
  const shown = new Set<TreeDirectory>();
  const lines: string[] = [];
  const render = (directory: TreeDirectory, indent: string): void => {
    shown.add(directory);
    const { path, files = [], links = [], other = [], directories = [] } = directory;
    for (const name of files) lines.push(indent + toLine(name));
    for (const name of links) lines.push(`${indent}${toLine(name)} (link)`);
    for (const name of other) lines.push(`${indent}${toLine(name)} (special)`);
    for (const name of directories) {
      lines.push(`${indent}${toLine(name)}/`);
      const below = byPath.get(path === "" ? name : `${path}/${name}`);
      if (below) render(below, `${indent}  `);
    }
  };
  for (const directory of tree) {
    if (shown.has(directory)) continue;
    if (directory.path !== "") lines.push(`${toLine(directory.path)}/`);
    render(directory, directory.path === "" ? "" : "  ");
  }
  return lines.join("\n");
}

/** A name on one line, whatever is in it. */
export const toLine = (name: string): string =>
  /[\n\r]/.test(name) ? name.replaceAll("\n", "\\n").replaceAll("\r", "\\r") : name;

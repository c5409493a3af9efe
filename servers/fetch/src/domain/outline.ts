import { Fault, suggest } from "@suite/server-kit/domain";

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Where it stands in the text, and where its section ends. */
  readonly start: number;
  readonly end: number;
}

/** The headings of a Markdown text; those in code are none. */
export function findHeadings(text: string): readonly Heading[] {
  const found: { level: number; text: string; start: number }[] = [];
  let fence: string | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      const [, marks = "", title = ""] = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) ?? [];
      if (marks !== "") found.push({ level: marks.length, text: toPlain(title), start });
    }
    start += line.length + 1;
  }
  return found.map((heading, index) => {
    const next = found.slice(index + 1).find(({ level }) => level <= heading.level);
    return { ...heading, end: next?.start ?? text.length };
  });
}

const toPlain = (title: string): string =>
  title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\\([\\`*_{}[\]()#+.!|<>-])/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim();

/** The section that is meant: by its number in the outline, its heading, the start of it, or a part of it. */
export function findSection(headings: readonly Heading[], wanted: string): Heading {
  const number = /^#?(\d+)$/.exec(wanted.trim())?.[1];
  const byNumber = number === undefined ? undefined : headings[Number(number) - 1];
  const name = wanted
    .trim()
    .replace(/^#+\s*/, "")
    .toLowerCase();
  const found =
    headings.find(({ text }) => text.toLowerCase() === name) ??
    byNumber ??
    headings.find(({ text }) => text.toLowerCase().startsWith(name)) ??
    headings.find(({ text }) => text.toLowerCase().includes(name));
  if (found) return found;
  if (number !== undefined && headings.length > 0) {
    throw new Fault("not_found", `The page has no section ${number}`, {
      hint: `Its sections are 1 to ${headings.length}. mode: "outline" lists them.`,
    });
  }
  const near = suggest(
    wanted,
    headings.map(({ text }) => text),
  );
  throw new Fault("not_found", `The page has no section ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint:
      headings.length === 0
        ? "It has no headings at all. Leave section out."
        : `${near === undefined ? "" : `Did you mean ${JSON.stringify(near)}? `}mode: "outline" lists its sections.`,
  });
}

/** The numbers of all sections that have the name of this one. */
export const findNamesakes = (headings: readonly Heading[], { text: name }: Heading): readonly number[] =>
  headings.flatMap(({ text }, index) => (text.toLowerCase() === name.toLowerCase() ? [index + 1] : []));

/** The number of the section whose anchor this would be, as most sites make them of headings. */
export function findAnchor(headings: readonly Heading[], anchor: string): number | undefined {
  const index = headings.findIndex(({ text }) => toAnchor(text) === toAnchor(anchor));
  return index < 0 ? undefined : index + 1;
}

const toAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");

export const renderOutline = (headings: readonly Heading[]): string =>
  headings
    .map(
      ({ level, text, start, end }, index) =>
        `${"  ".repeat(level - 1)}${index + 1}. ${text} (${end - start} characters)`,
    )
    .join("\n");

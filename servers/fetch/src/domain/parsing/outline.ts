import { countOf, Fault, suggest } from "@suite/server-kit/domain";

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** Where it stands in the text, and where its section ends. */
  readonly start: number;
  readonly end: number;
}

/** Longer titles are cut. */
const LONGEST_TITLE = 1000;

/** The headings of a Markdown text, without those in code. Must be linear: it runs in the main thread. */
export function findHeadings(text: string): readonly Heading[] {
  const found: { level: number; text: string; start: number }[] = [];
  let fence: string | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined) {
      const level = /^#{1,6}(?=\s)/.exec(line)?.[0].length ?? 0;
      const title = level === 0 ? "" : line.slice(level).trim();
      if (title !== "") found.push({ level, text: toPlain(withoutClosing(title)), start });
    }
    start += line.length + 1;
  }
  return withEnds(found, text.length);
}

function withoutClosing(title: string): string {
  let end = title.length;
  while (end > 0 && title[end - 1] === "#") end -= 1;
  return title.slice(0, end).trimEnd() || title;
}

/** A section extends to the next heading of its level or above. */
function withEnds(found: readonly Omit<Heading, "end">[], length: number): readonly Heading[] {
  const ends = Array.from({ length: 7 }, () => length);
  return found
    .toReversed()
    .map((heading) => {
      const end = ends[heading.level] ?? length;
      ends.fill(heading.start, heading.level);
      return { ...heading, end };
    })
    .toReversed();
}

const toPlain = (title: string): string =>
  title
    .slice(0, LONGEST_TITLE)
    .replaceAll(/\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, "$1")
    .replaceAll(/\\([\\`*_{}[\]()#+.!|<>-])/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

const MOST_COMPARED = 1000;

/** Finds a section by its heading, its number in the outline (`#3` is always a number), or the start or a part of its heading. */
export function findSection(headings: readonly Heading[], wanted: string): Heading {
  const number = /^#?(\d+)$/.exec(wanted.trim())?.[1];
  const byNumber = number === undefined ? undefined : headings[Number(number) - 1];
  const name = toName(wanted);
  const [byName, ...byPart] = WAYS.map((isMeant) =>
    headings.find(({ text }) => isMeant(text.toLowerCase(), name)),
  );
  const isNumber = number !== undefined && wanted.trim() !== number;
  const found = isNumber
    ? byNumber
    : (byName ?? byNumber ?? byPart.find(Boolean) ?? findAnchor(headings, name) ?? findPath(headings, name));
  if (found) return found;
  if (number !== undefined && headings.length > 0) {
    throw new Fault("not_found", `The page has no section ${number}`, {
      hint: `Its sections are 1 to ${headings.length}. mode: "outline" lists them.`,
    });
  }
  const near = suggest(
    wanted.slice(0, 200),
    headings.slice(0, MOST_COMPARED).map(({ text }) => text),
  );
  throw new Fault("not_found", `The page has no section ${JSON.stringify(wanted.slice(0, 100))}`, {
    hint:
      headings.length === 0
        ? "It has no headings at all. Leave section out."
        : `${near === undefined ? "" : `Did you mean ${JSON.stringify(near)}? `}mode: "outline" lists its sections. An anchor goes into url, after a #.`,
  });
}

/** Each heading with those above it, outermost first: as search_page names sections. */
export function toPaths(headings: readonly Heading[]): readonly string[] {
  let path: readonly Heading[] = [];
  return headings.map((heading) => {
    path = [...path.filter(({ level }) => level < heading.level), heading];
    return path.map(({ text }) => text).join(" > ");
  });
}

const findPath = (headings: readonly Heading[], name: string): Heading | undefined =>
  name.includes(" > ")
    ? headings[toPaths(headings).findIndex((path) => path.toLowerCase() === name)]
    : undefined;

/** The ways in which a name matches a heading, best first. */
const WAYS: readonly ((heading: string, name: string) => boolean)[] = [
  (heading, name) => heading === name,
  (heading, name) => heading.startsWith(name),
  (heading, name) => heading.includes(name),
];

const toName = (wanted: string): string =>
  wanted
    .trim()
    .replace(/^#+\s*/, "")
    .toLowerCase();

const MOST_NAMESAKES = 50;

/** Sections that a number may mean: the one with it in the outline, and those whose headings begin with it. */
export function findNumbered(headings: readonly Heading[], number: string): readonly number[] {
  if (Number(number) < 1 || Number(number) > headings.length) return [];
  const begin = headings.flatMap(({ text }, index) =>
    /^(\d+)[.):]?\s/.exec(text)?.[1] === number ? [index + 1] : [],
  );
  return [...new Set([Number(number), ...begin])].slice(0, MOST_NAMESAKES);
}

/** The numbers of the first sections that match as well as the one that was found, which is among them. */
export function findNamesakes(
  headings: readonly Heading[],
  { text: found }: Heading,
  wanted: string,
): readonly number[] {
  const isMeant = WAYS.find((way) => way(found.toLowerCase(), toName(wanted)));
  return headings
    .flatMap(({ text }, index) => (isMeant?.(text.toLowerCase(), toName(wanted)) ? [index + 1] : []))
    .slice(0, MOST_NAMESAKES);
}

/** The section with this anchor, if the site derives anchors from headings as most do. */
export function findAnchor(headings: readonly Heading[], anchor: string): Heading | undefined {
  const wanted = toAnchor(anchor);
  return headings.find(({ text }) => toAnchor(text) === wanted);
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
        `${"  ".repeat(level - 1)}${index + 1}. ${text} (${countOf(end - start, "character")})`,
    )
    .join("\n");

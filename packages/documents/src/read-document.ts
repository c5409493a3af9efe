import { DocumentError } from "./document-error.ts";
import type { Opened, PartText } from "./opened.ts";
import { Archive, createLocked } from "./zip.ts";

/** Which parts to read, counted from 1. */
export interface PartRange {
  readonly first: number;
  readonly last: number;
}

export interface DocumentText extends Pick<Opened, "format" | "title" | "unit"> {
  /** The number of its parts, if they can be chosen. */
  readonly total?: number;
  /** Markdown, with a heading for each part. */
  readonly text: string;
  /** How many parts and pieces of text were left out because a person does not see them. */
  readonly hidden: number;
  /** The first part that is not read to its end, because the text is long, or has taken long, enough. */
  readonly cutAt?: number;
}

const MOST_CHARACTERS = 4_000_000;
/** After this long, the rest is left for another call. */
const MOST_MS = 15_000;
const LONGEST_NAME = 300;

/** The text of a document, whatever its name says. Undefined if it is none. `onPage` is told of each page of a PDF before it is read. */
export async function readDocument(
  bytes: Uint8Array,
  { first, last }: PartRange = { first: 1, last: Infinity },
  onPage: (page: number) => void = () => undefined,
): Promise<DocumentText | undefined> {
  const opened = await open(bytes);
  if (!opened) return undefined;
  const { format, unit, parts } = opened;
  const title = toOneLine(opened.title);
  const facts = { format, ...(title && { title }), ...(unit && { unit, total: parts.length }) };
  if (unit && first > Math.max(parts.length, 1))
    throw new DocumentError("invalid_input", `has ${parts.length} ${unit}s: there is no ${unit} ${first}`);
  const pieces: string[] = [];
  let [length, hidden] = [0, 0];
  const finish = (cutAt?: number): DocumentText => {
    const text = pieces.join("\n\n").slice(0, MOST_CHARACTERS);
    return { ...facts, text, hidden, ...(cutAt !== undefined && { cutAt }) };
  };
  const end = performance.now() + MOST_MS;
  const start = unit ? first : 1;
  for (let at = start; at <= Math.min(parts.length, unit ? last : 1); at += 1) {
    if (length >= MOST_CHARACTERS || (at > start && performance.now() > end)) return finish(at);
    if (format === "pdf") onPage(at);
    const part = await parts[at - 1]?.(MOST_CHARACTERS - length);
    if (!part) break;
    hidden += (part.hidden ?? 0) + (part.isHidden ? 1 : 0);
    const added = [unit && toHeading(unit, at, part), part.text].filter((piece) => piece !== undefined);
    pieces.push(...added.filter(Boolean));
    length += added.join("").length;
    if (part.isCut || length > MOST_CHARACTERS) return finish(at);
  }
  return finish();
}

function toHeading(unit: string, at: number, { name, isHidden }: PartText): string {
  const title = toOneLine(name);
  const label = isHidden ? " (hidden)" : title && `: ${title}`;
  return `## ${unit.charAt(0).toUpperCase()}${unit.slice(1)} ${at}${label}`;
}

const toOneLine = (text = ""): string => text.replaceAll(/\s+/g, " ").trim().slice(0, LONGEST_NAME);

const startsWith = (bytes: Uint8Array, start: string): boolean =>
  Buffer.from(bytes.subarray(0, start.length)).equals(Buffer.from(start, "latin1"));

/** Of Office's formats before 2007, and of encrypted ones since. */
const COMPOUND = "\u00d0\u00cf\u0011\u00e0";

async function open(bytes: Uint8Array): Promise<Opened | undefined> {
  if (startsWith(bytes, "%PDF-")) return (await import("./pdf.ts")).openPdf(bytes);
  if (startsWith(bytes, COMPOUND)) {
    if (Buffer.from(bytes).includes(Buffer.from("EncryptedPackage", "utf16le"))) throw createLocked();
    const hint = "Ask for it as DOCX, XLSX or PPTX.";
    throw new DocumentError("unsupported", "is in a format of Office before 2007, which is not read", hint);
  }
  if (!startsWith(bytes, "PK\u0003\u0004")) return undefined;
  const archive = new Archive(bytes);
  const type = archive.has("mimetype") ? Buffer.from(archive.read("mimetype")).toString().trim() : "";
  if (type === "application/epub+zip") return (await import("./book.ts")).openBook(archive);
  if (type === "application/vnd.oasis.opendocument.text") {
    const manifest = Buffer.from(archive.find("META-INF/manifest.xml") ?? []);
    if (manifest.includes("encryption-data")) throw createLocked();
    return (await import("./open-document.ts")).openText(archive);
  }
  return archive.has("[Content_Types].xml") ? openOffice(archive) : undefined;
}

/** The outermost element of the part that is the document, which says what it is. */
const ROOT = /<(?:\w+:)?(document|workbook|presentation)[\s>]/;

async function openOffice(archive: Archive): Promise<Opened | undefined> {
  const { OfficePackage } = await import("./office-package.ts");
  const file = OfficePackage.open(archive);
  if (!file) return undefined;
  const start = Buffer.from(file.main.subarray(0, 4096)).toString("latin1").replaceAll("\0", "");
  const [, root] = ROOT.exec(start) ?? [];
  const { title } = file;
  if (root === "document") return { ...(await import("./word.ts")).openWord(file), title };
  if (root === "workbook") return { ...(await import("./spreadsheet.ts")).openSpreadsheet(file), title };
  if (root === "presentation") return { ...(await import("./slides.ts")).openSlides(file), title };
  return undefined;
}

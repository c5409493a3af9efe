import { DocumentError } from "./document-error.ts";
import { escapeMarks } from "./markdown.ts";
import type { Opened, PartText } from "./opened.ts";
import { createLocked } from "./zip.ts";

/** In points. Nobody reads smaller letters. */
const SMALLEST = 1;

const MOST_PAGES = 20_000;

interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Its types depend on those of a browser. */
interface Pdf {
  readonly numPages: number;
  getPage(number: number): Promise<{
    readonly view: readonly number[];
    getTextContent(): Promise<{ readonly items: readonly TextItem[] }>;
    cleanup(): unknown;
  }>;
}

export async function openPdf(bytes: Uint8Array): Promise<Opened> {
  const { getDocumentProxy, getMeta } = await import("unpdf");
  // Its reader takes the bytes away.
  const opened: unknown = await getDocumentProxy(Uint8Array.from(bytes), { isEvalSupported: false }).catch(
    refuse,
  );
  const pdf = opened as Pdf;
  if (pdf.numPages > MOST_PAGES) throw new DocumentError("too_large", `has more than ${MOST_PAGES} pages`);
  const { info } = await getMeta(opened as Parameters<typeof getMeta>[0]);
  const title = (info as { readonly Title?: unknown } | undefined)?.Title;
  return {
    format: "pdf",
    title: typeof title === "string" ? title : undefined,
    unit: "page",
    parts: Array.from({ length: pdf.numPages }, (_, index) => () => readPage(pdf, index + 1)),
  };
}

async function readPage(pdf: Pdf, number: number): Promise<PartText> {
  const page = await pdf.getPage(number);
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const isSeen = ({ str = "", transform, width, height }: TextItem): boolean => {
    const [x = 0, y = 0] = transform.slice(4);
    const isOutside = x > right || x + width < left || y > top || y + height < bottom;
    return str.trim() === "" || (!isOutside && (height === 0 || height >= SMALLEST));
  };
  const { items } = await page.getTextContent();
  page.cleanup();
  const seen = items.filter(isSeen);
  const text = seen.map(({ str = "", hasEOL }) => str + (hasEOL ? "\n" : "")).join("");
  return { text: escapeMarks(text.trim()), hidden: items.length - seen.length };
}

function refuse(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === "PasswordException") throw createLocked();
  throw new DocumentError("unsupported", "is damaged or incomplete: it cannot be read as a PDF");
}

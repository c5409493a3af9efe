import { extractText, getDocumentProxy, getMeta } from "unpdf";

export interface PdfText {
  readonly title?: string;
  readonly pages: number;
  /** A heading for each page, then its text. */
  readonly markdown: string;
}

const MOST_PAGES = 2000;

export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const document: unknown = await getDocumentProxy(bytes, { isEvalSupported: false });
  // Its types need those of a browser.
  const { numPages } = document as { readonly numPages: number };
  if (numPages > MOST_PAGES) throw new RangeError(`The PDF has more than ${MOST_PAGES} pages`);
  const { text } = await extractText(document, { mergePages: false });
  const info = (await getMeta(document)).info as { readonly Title?: unknown } | undefined;
  const title = typeof info?.Title === "string" ? info.Title.trim() : "";
  return {
    ...(title !== "" && { title }),
    pages: numPages,
    markdown: text.map((page, index) => `## Page ${index + 1}\n\n${page.trim()}`).join("\n\n"),
  };
}

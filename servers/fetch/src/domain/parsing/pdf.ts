import { codeOf } from "@suite/server-kit/domain";

export interface PdfText {
  readonly title?: string;
  readonly pages: number;
  /** A heading for each page, then its text. */
  readonly markdown: string;
}

const MOST_PAGES = 2000;

/** Undefined if the optional package that reads PDFs is not installed: its 1.4 MiB are nearly as much as the rest of the server. */
export async function readPdf(bytes: Uint8Array): Promise<PdfText | undefined> {
  const unpdf = await load();
  if (unpdf === undefined) return undefined;
  const { extractText, getDocumentProxy, getMeta } = unpdf;
  const document: unknown = await getDocumentProxy(bytes, { isEvalSupported: false });
  // Its types depend on those of a browser.
  const { numPages } = document as { readonly numPages: number };
  if (numPages > MOST_PAGES) throw new RangeError(`The PDF has more than ${MOST_PAGES} pages`);
  const { text } = await extractText(document, { mergePages: false });
  const info = (await getMeta(document)).info as { readonly Title?: unknown } | undefined;
  const title = typeof info?.Title === "string" ? info.Title.trim() : "";
  return {
    ...(title !== "" && { title }),
    pages: numPages,
    markdown: text.map((page, index) => `## Page ${index + 1}\n\n${escapeMarks(page.trim())}`).join("\n\n"),
  };
}

/** The only headings are those of the pages: a line such as `# install` must not end a page's section, nor a fence hide the next. */
const escapeMarks = (text: string): string => text.replaceAll(/^([^\S\n]*)(?=#|`{3}|~{3})/gm, "$1\\");

async function load(): Promise<typeof import("unpdf") | undefined> {
  try {
    return await import("unpdf");
  } catch (thrown) {
    if (codeOf(thrown) === "ERR_MODULE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** The text of documents as Markdown, read in a thread with limits. */
export { DocumentError } from "./document-error.ts";
export { DocumentReader, type ReaderOptions } from "./document-reader.ts";
export { type DocumentText, type PartRange } from "./read-document.ts";

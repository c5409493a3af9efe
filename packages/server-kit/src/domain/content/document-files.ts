import { createHash } from "node:crypto";

import { codeOf } from "../errors/code-of.ts";
import { Fault, type FaultCode } from "../errors/fault.ts";
import type { StopSignal } from "../errors/stop-signal.ts";

/** The text of a document, as `@suite/documents` reads it. */
export interface DocumentText {
  readonly format: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "epub";
  readonly title?: string | undefined;
  readonly unit?: string | undefined;
  readonly total?: number | undefined;
  readonly text: string;
  readonly hidden: number;
  readonly cutAt?: number | undefined;
}

export interface DocumentRange {
  readonly first: number;
  readonly last: number;
}

interface DocumentReader {
  read(bytes: Uint8Array, signal: StopSignal, range?: DocumentRange): Promise<DocumentText | undefined>;
  dispose(): Promise<void>;
}

export interface DocumentFilesOptions {
  /** Imports `@suite/documents`, which may not be installed. */
  readonly load: () => Promise<{
    readonly DocumentReader: new (options: {
      readonly timeoutMs: number;
      readonly memoryMb: number;
    }) => DocumentReader;
  }>;
  /** How to install it: a sentence. */
  readonly hint: string;
  readonly timeoutMs: number;
}

const MEMORY_MB = 256;
const KEPT_MS = 60_000;
const STARTS = ["%PDF-", "PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0"];

/** Whether bytes may be a document, by the first of them: a PDF, an archive, or one of Office before 2007. */
export function mayBeDocument(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8)).toString("latin1");
  return STARTS.some((each) => start.startsWith(each));
}

/** Reads documents with an optional package, which is loaded for the first. */
export class DocumentFiles {
  readonly #options: DocumentFilesOptions;
  #last: { readonly key: string; readonly found: DocumentText | undefined } | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #reader: Promise<DocumentReader | undefined> | undefined;

  constructor(options: DocumentFilesOptions) {
    this.#options = options;
  }

  async isInstalled(): Promise<boolean> {
    return (await this.#open()) !== undefined;
  }

  /** Throws a fault that says how to install it. */
  async require(about: string): Promise<DocumentReader> {
    const reader = await this.#open();
    if (reader) return reader;
    const message = `The text of ${about} is read by the package @suite/documents, which is not installed`;
    throw new Fault("unsupported", message, { hint: this.#options.hint });
  }

  /** Undefined if the bytes are no document. `about` names them in errors. */
  async read(
    bytes: Uint8Array,
    about: string,
    signal: StopSignal,
    range?: DocumentRange,
  ): Promise<DocumentText | undefined> {
    const reader = await this.require(about);
    const key = createHash("sha256")
      .update(bytes)
      .update(JSON.stringify(range ?? {}))
      .digest("base64");
    if (this.#last?.key === key) return this.#last.found;
    try {
      const found = await reader.read(bytes, signal, range);
      this.#keep(key, found);
      return found;
    } catch (thrown) {
      signal.throwIfAborted();
      throw toDocumentFault(thrown, about);
    }
  }

  /** Who reads a long document page by page need not wait for all of it each time. */
  #keep(key: string, found: DocumentText | undefined): void {
    clearTimeout(this.#forgetting);
    this.#last = { key, found };
    this.#forgetting = setTimeout(() => (this.#last = undefined), KEPT_MS).unref();
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#forgetting);
    await (await this.#reader)?.dispose();
  }

  #open(): Promise<DocumentReader | undefined> {
    return (this.#reader ??= this.#load());
  }

  async #load(): Promise<DocumentReader | undefined> {
    const { load, timeoutMs } = this.#options;
    try {
      return new (await load()).DocumentReader({ timeoutMs, memoryMb: MEMORY_MB });
    } catch (thrown) {
      if (codeOf(thrown) === "ERR_MODULE_NOT_FOUND" || codeOf(thrown) === "MODULE_NOT_FOUND")
        return undefined;
      throw thrown;
    }
  }
}

function toDocumentFault(thrown: unknown, about: string): unknown {
  if (!(thrown instanceof Error) || thrown.name !== "DocumentError") return thrown;
  const { code, message, hint } = thrown as Error & { readonly code: FaultCode; readonly hint?: string };
  return new Fault(code, `${about} ${message}`, { hint });
}

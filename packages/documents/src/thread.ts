import { parentPort } from "node:worker_threads";

import { DocumentError } from "./document-error.ts";
import type { ThreadAnswer } from "./document-reader.ts";
import { type PartRange, readDocument } from "./read-document.ts";

/* oxlint-disable unicorn/require-post-message-target-origin -- a thread is not a window */

interface Given {
  readonly bytes: Uint8Array;
  readonly range?: PartRange;
}

async function answer({ bytes, range }: Given): Promise<ThreadAnswer> {
  try {
    return { text: await readDocument(bytes, range, (page) => parentPort?.postMessage({ page })) };
  } catch (thrown) {
    if (!(thrown instanceof DocumentError))
      return { error: { code: "unsupported", message: "cannot be read", hint: undefined } };
    const { code, message, hint } = thrown;
    return { error: { code, message, hint } };
  }
}

parentPort?.on("message", (given: Given) => {
  void answer(given).then((found) => parentPort?.postMessage(found));
});

import { Fault } from "@suite/server-kit/domain";
import { guessUtf16, type Encoding } from "./encoding.ts";
import { describeBytes } from "./limits.ts";
import { sniff } from "./mime.ts";
import { quotePath } from "./quote-path.ts";
import type { TextSource } from "./text-place.ts";

/** The text that the bytes are, or a fault: nothing is ever read as something that it is not. `start` is the file's beginning. */
export function decodeText(bytes: Buffer, start: Buffer, encoding: Encoding, source: TextSource): string {
  // Valid UTF-8, but no text has it. Who names another encoding gets what there is.
  const isBinary = encoding.name === "utf-8" && (start.includes(0) || bytes.includes(0));
  const text = isBinary ? undefined : encoding.decode(bytes);
  if (text === undefined)
    throw isBinary ? refuseBinary(start, source) : refuseInvalid(start, encoding, source);
  return text;
}

function refuseBinary(start: Buffer, { path, size }: TextSource): Fault {
  const { mimeType, isText } = sniff(start, path);
  const encoding = guessUtf16(start);
  return new Fault(
    "unsupported",
    `${quotePath(path)} is not text but ${isText ? "binary" : mimeType} (${describeBytes(size)})`,
    {
      hint: encoding
        ? `It looks like UTF-16: pass encoding "${encoding}".`
        : "Use read_media_file, which gives the bytes.",
      details: { mime_type: mimeType },
    },
  );
}

/** Of an encoding that the file is marked with, or that the caller named. */
export function refuseInvalid(start: Buffer, { name }: Encoding, { path }: TextSource): Fault {
  const { mimeType, isText } = sniff(start, path);
  const looksLike = isText || mimeType === "application/octet-stream" ? "" : ` and looks like ${mimeType}`;
  const other = name === "utf-8" ? "" : "Leave out encoding to have it detected. ";
  return new Fault("unsupported", `${quotePath(path)} is not valid ${name}${looksLike}`, {
    hint: `${other}Pass encoding "latin1" to read it byte for byte, or use read_media_file.`,
    details: { mime_type: mimeType },
  });
}

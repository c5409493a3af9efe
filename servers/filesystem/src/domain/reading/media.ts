import {
  countOf,
  describeBytes,
  Fault,
  type PathGuard,
  quotePath,
  readBytes,
  sniff,
  SNIFF_BYTES,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { fileEtag, openForReading } from "./open.ts";
import { MEDIA_BYTES } from "./limits.ts";

export interface MediaRequest {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

export type MediaKind = "image" | "audio" | "resource";

export interface Media {
  readonly bytes: Buffer;
  readonly facts: {
    path: string;
    mime_type: string;
    /** Of the whole file, in bytes. */
    size: number;
    etag: string;
    kind: MediaKind;
    /** Only for a part: its offset, its length, and the offset of the next part. */
    offset?: number;
    length?: number;
    next_offset?: number;
  };
}

/** The bytes of a file, or of the part asked for. */
export function readMedia(guard: PathGuard, request: MediaRequest, limit: number = MEDIA_BYTES): Media {
  const { path, file } = openForReading(guard, request.path);
  return closing(file, () => {
    const size = Number(file.stats.size);
    const { offset = 0 } = request;
    const length = Math.min(request.length ?? size - offset, size - offset);
    if (offset > 0 && offset >= size) {
      throw new Fault(
        "invalid_input",
        `offset ${offset} is past the end of ${quotePath(path)}, which has ${countOf(size, "byte")}`,
      );
    }
    if (length > limit) throw refuseSize(path, length, limit);
    const bytes = readBytes(file.fd, offset, length);
    const isWhole = length === size;
    const start =
      offset === 0 ? bytes.subarray(0, SNIFF_BYTES) : readBytes(file.fd, 0, Math.min(SNIFF_BYTES, size));
    const { mimeType } = sniff(start, path);
    const end = offset + bytes.length;
    const facts = {
      path: toPathText(path),
      mime_type: mimeType,
      size,
      etag: fileEtag(file, isWhole ? bytes : undefined),
      kind: isWhole ? kindOf(mimeType) : ("resource" as const),
      ...(!isWhole && { offset, length: bytes.length }),
      ...(!isWhole && end < size && { next_offset: end }),
    };
    return { bytes, facts };
  });
}

function refuseSize(path: string, length: number, limit: number): Fault {
  return new Fault(
    "too_large",
    `${quotePath(path)}: ${describeBytes(length)} exceed the limit of ${describeBytes(limit)} for one result`,
    {
      hint: `Read it in parts with offset and length, such as offset: 0, length: ${limit}.`,
      details: { limit },
    },
  );
}

/** SVG counts as text: hosts that accept images do not accept it. */
function kindOf(mimeType: string): MediaKind {
  if (mimeType.startsWith("image/") && mimeType !== "image/svg+xml") return "image";
  return mimeType.startsWith("audio/") ? "audio" : "resource";
}

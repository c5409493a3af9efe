import { pipeline, type Readable, type Transform } from "node:stream";

import { Fault } from "../errors/fault.ts";

/** More layers of compression than this suggest an attack. */
const MOST_LAYERS = 2;

/** Decodes the body. Throws for unknown encodings. */
export async function decodeBody(
  raw: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Readable> {
  const layers = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  limitOutput(raw, maxBytes);
  if (layers.length === 0) return raw;
  if (layers.length > MOST_LAYERS) {
    throw new Fault("unsupported", `The answer is compressed ${layers.length} times over`);
  }
  const zlib = await import("node:zlib");
  const decoders: { readonly [name: string]: () => Transform } = {
    gzip: zlib.createGunzip,
    "x-gzip": zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  let stream = raw;
  for (const layer of layers.toReversed()) {
    const create = Object.hasOwn(decoders, layer) ? decoders[layer] : undefined;
    if (create === undefined)
      throw new Fault("unsupported", `The answer has an unknown encoding: ${layer.slice(0, 30)}`);
    const decoder = create();
    limitOutput(decoder, maxBytes);
    // Errors reach the reader because `pipeline` destroys the last stream with them.
    stream = pipeline(stream, decoder, () => undefined);
  }
  return stream;
}

/** Limits what each layer buffers: an intermediate layer may expand hugely, and bytes may pile up before they are read. */
function limitOutput(layer: Readable, maxBytes: number): void {
  let bytes = 0;
  const push = layer.push.bind(layer);
  layer.push = (chunk: Buffer | null, encoding) => {
    bytes += chunk?.length ?? 0;
    if (bytes > maxBytes) {
      layer.destroy(createTooLarge(maxBytes));
      return false;
    }
    return push(chunk, encoding);
  };
}

/** The fault for an answer that is larger than the limit. */
export const createTooLarge = (maxBytes: number): Fault =>
  new Fault("too_large", `The answer has more than ${maxBytes} bytes`, {
    hint: "Only the server's operator can raise this limit.",
    details: { maxBytes },
  });

import { invalidParams } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import { fromBase64Url, toBase64Url } from "../values/base64.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/**
 * A cursor holds the serial number of the last item of a page; serial numbers must increase from item to item. So pages
 * neither repeat nor skip anything when the list grows or shrinks between them.
 */
export function paginate<T>(
  kind: string,
  items: readonly T[],
  serialOf: (item: T) => number,
  pageSize: number,
  cursor: string | undefined,
): Page<T> {
  if (cursor === undefined && items.length <= pageSize) return { items };
  const start =
    cursor === undefined ? 0 : resumeAfter(fromListCursor(kind, cursor).position, items, serialOf);
  const end = start + pageSize;
  const page = items.slice(start, end);
  const last = page.at(-1);
  if (end >= items.length || last === undefined) return { items: page };
  return { items: page, nextCursor: toListCursor(kind, { position: serialOf(last), name: "" }) };
}

export function readCursor(params: Params): string | undefined {
  const { cursor } = params;
  // Hosts written in other languages send null for "none".
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor !== "string") throw invalidParams("cursor must be a string");
  return cursor;
}

interface ListPosition {
  readonly position: number;
  readonly name: string;
}

function resumeAfter<T>(serial: number, items: readonly T[], serialOf: (item: T) => number): number {
  const index = items.findIndex((item) => serialOf(item) > serial);
  return index === -1 ? items.length : index;
}

export const toListCursor = (kind: string, { position, name }: ListPosition): string =>
  toBase64Url(new TextEncoder().encode(JSON.stringify([kind, position, name])));

export function fromListCursor(kind: string, cursor: string): ListPosition {
  const parts = decodeCursor(cursor);
  if (Array.isArray(parts) && parts.length === 3) {
    const [cursorKind, position, name] = parts as unknown[];
    if (
      cursorKind === kind &&
      typeof name === "string" &&
      Number.isSafeInteger(position) &&
      Number(position) >= 0
    ) {
      return { position: Number(position), name };
    }
  }
  throw invalidParams(
    "Invalid cursor: pass nextCursor of an earlier page unchanged, or leave it out to start again",
  );
}

function decodeCursor(cursor: string): unknown {
  if (cursor.length > 16_384) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(cursor)));
  } catch {
    return undefined;
  }
}

import { Fault } from "@suite/server-kit/domain";

export const IMPORT_FORMATS = ["csv", "jsonl"] as const;
export const EXPORT_FORMATS = ["csv", "jsonl", "md"] as const;
export type Format = (typeof EXPORT_FORMATS)[number];

/** By the file extension. Others are refused: a file whose extension does not match its content would mislead. */
export function formatOf<const F extends Format>(path: string, formats: readonly F[]): F {
  const end = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const found = formats.find((format) => format === (ENDS[end] ?? end));
  if (found !== undefined) return found;
  throw new Fault(
    "invalid_input",
    `The name does not say which format the file has: ${JSON.stringify(path.slice(-100))}.`,
    {
      hint: `Set format to one of: ${formats.join(", ")}.`,
    },
  );
}

const ENDS: { readonly [end: string]: string } = { ndjson: "jsonl", markdown: "md" };

export const FORMATS = ["csv", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

export const formatOf = (path: string): Format => (/\.(jsonl|ndjson)$/i.test(path) ? "jsonl" : "csv");

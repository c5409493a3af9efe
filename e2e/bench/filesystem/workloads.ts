import { hasText, type ToolResult, type Workload } from "../servers/tool-calls.ts";
import { type BenchFiles, fewSuffix, longLines, smallText } from "./files.ts";

/** One thing to do, and how each side is asked for it: the names are the same, the pages are not. */
export interface FilesystemComparison {
  readonly title: string;
  readonly unit: "calls/s" | "ms";
  /** How many times as fast as the reference ours should be. */
  readonly atLeast?: number;
  readonly reference: Workload;
  readonly ours: Workload;
}

/** Wide enough to keep either server busy. */
const pipelined = 256;

export function toComparisons(
  { small, long, trees }: BenchFiles,
  quick: boolean,
): readonly FilesystemComparison[] {
  const times = quick ? { warmUp: 1, measured: 2 } : { warmUp: 2, measured: 5 };
  const calls = quick ? { warmUp: 500, measured: 1_000 } : { warmUp: 5_000, measured: 5_000 };
  const same = (workload: Workload): Pick<FilesystemComparison, "reference" | "ours"> => ({
    reference: workload,
    ours: workload,
  });
  const read = (args: object): Workload["call"] => ({ name: "read_text_file", arguments: args });
  const edge = (where: "head" | "tail", last: string): FilesystemComparison => ({
    title: `${where} of ${longLines.toLocaleString("en-US")} lines`,
    unit: "ms",
    ...same({
      call: read({ path: long, [where]: 10 }),
      check: hasText(last),
      ...calls,
      measured: 200,
      warmUp: 50,
      window: 1,
    }),
  });
  return [
    {
      title: "read a small file, pipelined",
      unit: "calls/s",
      atLeast: 4,
      ...same({
        call: read({ path: small }),
        check: hasText(smallText.trimEnd()),
        ...calls,
        window: pipelined,
      }),
    },
    edge("head", "line 10"),
    edge("tail", `line ${longLines}`),
    ...[...trees].flatMap(([size, path]) => [toGlob(path, size, times), toTree(path, size, times)]),
  ];
}

type Times = Pick<Workload, "warmUp" | "measured">;

function toGlob(path: string, size: number, times: Times): FilesystemComparison {
  const found = (text: string): number => text.split(fewSuffix).length - 1;
  const check = ({ content }: ToolResult): boolean => found(content?.[0]?.text ?? "") === size / 100;
  const call = { name: "search_files", arguments: { path, pattern: `**/*${fewSuffix}` } };
  const workload = { call, check, ...times, window: 1 };
  return {
    title: `glob over ${size.toLocaleString("en-US")} files`,
    unit: "ms",
    atLeast: 10,
    reference: workload,
    ours: workload,
  };
}

/** The reference always gives all of it at once, and ours a page. */
function toTree(path: string, size: number, times: Times): FilesystemComparison {
  const last = `file-${size - 1}.ts`;
  const call = { name: "directory_tree", arguments: { path } };
  const workload = { call, ...times, window: 1 };
  return {
    title: `tree of ${size.toLocaleString("en-US")} files, ours the first page`,
    unit: "ms",
    atLeast: 10,
    reference: { ...workload, check: ({ content }) => content?.[0]?.text?.includes(last) ?? false },
    ours: { ...workload, check: ({ structuredContent }) => structuredContent?.["truncated"] === true },
  };
}

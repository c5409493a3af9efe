import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import {
  EntryKind,
  EntryLimit,
  LABELS,
  noteOnWalk,
  renderList,
  toExactSize,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

const IsLowerBound = v.exactOptional(v.literal(true));

const atLeast = (isMore: true | undefined): string => (isMore ? "at least " : "");

export const listDirectoryWithSizes = defineTool({
  name: "list_directory_with_sizes",
  title: "List a directory with sizes",
  description:
    "Lists one directory with sizes in bytes and their total; recursive measures subdirectories whole. " +
    "For the largest files of a tree use search_files with sort.",
  effects: "read",
  affects: "names and sizes in the allowed directories",
  group: "read",
  view: "sizes",
  version: 6,
  aliases: { path: PATH_NAMES, sort: ["sortBy", "sort_by"] },
  input: schema(
    v.strictObject({
      path: StartPath,
      sort: v.optional(v.picklist(["name", "size"])),
      recursive: v.optional(v.boolean()),
      limit: EntryLimit,
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      entries: v.array(
        v.object({
          name: v.string(),
          type: EntryKind,
          size: v.exactOptional(Count),
          is_lower_bound: IsLowerBound,
        }),
      ),
      total_files: Count,
      total_directories: Count,
      total_size: Count,
      is_lower_bound: IsLowerBound,
      ...walkOutput,
    }),
  ),
  untrusted: ["entries[].name"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { listSizes } = await import("../domain/walking/list-sizes.ts");
      return listSizes(guard, { ...input, budget: context.budget }, context.stop);
    }),
  text: (page, { recursive = false }) => {
    const files = countOf(page.total_files, "file");
    const directories = countOf(page.total_directories, "directory");
    const more = atLeast(page.is_lower_bound);
    // Only the size can be too low where nothing below is counted.
    const counted = recursive ? `${more}${files}, ${directories}, ` : `${files}, ${directories}, ${more}`;
    const heading = `${quoteShown(page.path)}: ${counted}${toExactSize(page.total_size)}`;
    const lines = page.entries.map(
      ({ name, type, size, is_lower_bound: isMore }) =>
        `${LABELS[type]} ${name}${size === undefined ? "" : ` ${atLeast(isMore)}${size}`}`,
    );
    return renderList(heading, lines.join("\n"), page);
  },
  note(page, { recursive }) {
    const counted = recursive
      ? page.is_lower_bound
        ? "The total does not count all files below: some cannot be read, or a directory has too many entries."
        : "Subdirectories are counted and measured whole, with what git ignores in them."
      : page.total_directories > 0
        ? "The total counts files directly in this directory; recursive: true adds those below."
        : undefined;
    return [counted, ...noteOnWalk(page)];
  },
});

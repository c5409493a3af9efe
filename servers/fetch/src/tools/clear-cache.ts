import { countOf, truncate } from "@suite/server-kit/domain";
import { Changed, Count, DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { toFetchable } from "../domain/web.ts";
import { defineTool } from "../define.ts";
import { toUrl } from "./reading.ts";

const MOST_NAMED = 100;

export const clearCache = defineTool({
  name: "clear_cache",
  title: "Clear the cache",
  description: "Forgets cached pages: one url, all of a host, or everything.",
  effects: "destructive",
  affects: "the cached pages of this server",
  input: schema(
    v.strictObject({ url: v.optional(v.string()), host: v.optional(v.string()), dry_run: DryRun }),
  ),
  output: schema(v.object({ changed: Changed, pages: Count, bytes_left: Count })),
  targets: () => ["cache"],
  confirm: ({ url, host }) =>
    `Forget the cached pages${url === undefined ? (host === undefined ? "" : ` of ${host}`) : ` of ${url}`}?`,
  async run({ url, host, dry_run = false }, { state, principal }) {
    const { cache } = state.web;
    const given = url === undefined ? undefined : toUrl(url);
    const wanted = given !== undefined && URL.canParse(given) ? toFetchable(given) : given;
    const gone = await cache.clear(
      principal,
      (head) =>
        (wanted === undefined || head.url === wanted || toFetchable(head.finalUrl) === wanted) &&
        (host === undefined || isOfHost(new URL(head.url), host.toLowerCase())),
      dry_run,
    );
    const urls = [...new Set(gone.map((head) => truncate(head.url, 300)))];
    return {
      changed: urls.slice(0, MOST_NAMED),
      pages: gone.length,
      bytes_left: cache.bytesOf(principal),
    };
  },
  text: ({ pages, bytes_left }, { dry_run: isDryRun }) =>
    `${countOf(pages, "page")} ${isDryRun ? "would be " : ""}forgotten; the cache has ${countOf(bytes_left, "byte")}.`,
  note: ({ changed }) =>
    changed.length === MOST_NAMED ? `Only the first ${MOST_NAMED} are named.` : undefined,
});

const isOfHost = ({ host, hostname }: URL, wanted: string): boolean => wanted === host || wanted === hostname;

import { countOf, fitItems, truncate, untrusted } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { checkLinks as checkAll } from "../domain/links.ts";
import { defineTool } from "../define.ts";
import { readPage, READS_THE_WEB, Url } from "./reading.ts";

const DEFAULT_LIMIT = 100;
const MOST = 500;

export const checkLinks = defineTool({
  name: "check_links",
  title: "Check links",
  description: "Finds the dead links of a page. Lists those that do not work; all: true lists every link.",
  ...READS_THE_WEB,
  timeoutMs: 120_000,
  input: schema(
    v.strictObject({
      url: Url,
      all: v.optional(v.boolean()),
      limit: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(MOST),
          v.description("Links to check; default 100"),
        ),
      ),
    }),
  ),
  output: schema(
    v.object({
      url: v.string(),
      found: Count,
      checked: Count,
      ok: Count,
      broken: Count,
      unknown: Count,
      refused: Count,
      links: v.array(
        v.object({
          url: v.string(),
          text: v.string(),
          outcome: v.picklist(["ok", "broken", "refused", "unknown"]),
          status: v.optional(v.number()),
          redirected_to: v.optional(v.string()),
          reason: v.optional(v.string()),
        }),
      ),
    }),
  ),
  untrusted: ["links[].text", "links[].url"],
  async run({ url, all = false, limit = DEFAULT_LIMIT }, context) {
    const { page, document } = await readPage(url, context, { want: "full" });
    const unique = [...new Map(document.links.map((link) => [link.url.replace(/#.*$/, ""), link])).values()];
    const chosen = unique.slice(0, limit);
    const checked = await checkAll(context.state.web, chosen, {
      signal: context.stop,
      principal: context.principal,
      onChecked: (done) => context.progress(done, chosen.length),
    });
    const count = (outcome: string): number => checked.filter((link) => link.outcome === outcome).length;
    const listed = checked
      .filter(({ outcome }) => all || outcome !== "ok")
      .map((link) => ({
        ...link,
        url: truncate(link.url, 500),
        text: truncate(link.text, 100),
      }));
    const { items } = fitItems(listed, context.budget);
    return {
      url: page.finalUrl,
      found: unique.length,
      checked: checked.length,
      ok: count("ok"),
      broken: count("broken"),
      unknown: count("unknown"),
      refused: count("refused"),
      links: [...items],
    };
  },
  text: ({ url, checked, ok, broken, unknown, refused, links }) => [
    `${countOf(checked, "link")} of ${url} checked: ${ok} fine, ${broken} broken, ${unknown} could not be told, ${refused} not allowed.`,
    ...(links.length === 0
      ? []
      : [
          untrusted(
            links
              .map(
                ({ outcome, status, reason, text, url: link }) =>
                  `${outcome} (${status ?? reason ?? ""}): [${text}](${link})`,
              )
              .join("\n"),
          ),
        ]),
  ],
  note: ({ found, checked, ok, links }) => [
    found > checked && `Only the first ${checked} of ${found} links were checked; raise limit for more.`,
    links.length < checked - ok && `Only ${links.length} of them are listed.`,
  ],
});

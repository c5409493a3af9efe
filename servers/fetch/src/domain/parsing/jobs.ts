import type { UnifiedDiff } from "@suite/server-kit/domain";

import { type Embedded, findEmbedded } from "./embedded.ts";
import { HtmlPage } from "./html.ts";
import type { PageFacts, PageLink } from "./page-facts.ts";
import type { Feed } from "./feed.ts";
import type { Found, Search } from "./search.ts";
import type { Sitemap } from "./sitemap.ts";
import type { Node } from "./tree.ts";

/** The jobs of the parser thread, with their answers. */
export interface Jobs {
  readonly html: { readonly given: HtmlJob; readonly answer: HtmlAnswer };
  readonly feed: { readonly given: { readonly text: string; readonly url: string }; readonly answer: Feed };
  readonly search: { readonly given: Search; readonly answer: Found };
  readonly diff: {
    readonly given: { readonly before: string; readonly after: string };
    readonly answer: UnifiedDiff;
  };
  readonly json: { readonly given: { readonly text: string }; readonly answer: string };
  readonly sitemap: { readonly given: { readonly text: string }; readonly answer: Sitemap };
}

export interface HtmlJob {
  readonly html: string;
  readonly url: string;
  readonly isXml?: boolean;
  /** `main` is what the page marks as its main part, `article` what Readability finds. */
  readonly want: "main" | "full" | "article";
  readonly anchor?: string | undefined;
}

export interface HtmlAnswer {
  readonly markdown: string;
  /** The position of the anchor that was asked for. */
  readonly anchorAt?: number | undefined;
  readonly used: "main" | "full" | "article";
  /** Why `used` differs from `want`. */
  readonly because?: string;
  readonly facts: PageFacts;
  readonly links: readonly PageLink[];
  /** The number of invisible elements that were left out. */
  readonly hidden: number;
  /** The number of texts that are left in although a style may hide them. */
  readonly undecided?: number;
  /** Whether the hidden ones hold more text than the visible ones. */
  readonly isMostlyHidden?: true;
  /** The data for the page's scripts, if it shows next to nothing without them. */
  readonly embedded?: readonly Embedded[];
}

/** A main part with a smaller share of the page's text was marked wrongly. */
const LEAST_MAIN = 0.4;
/** A page with at least this much text does not need its scripts. */
const SHELL_TEXT = 80;

/** Each loads its libraries with its first job. */
const HANDLERS: {
  readonly [Name in keyof Jobs]: (given: Jobs[Name]["given"]) => Promise<Jobs[Name]["answer"]>;
} = {
  html: runHtml,
  feed: async ({ text, url }) => (await import("./feed.ts")).readFeed(text, url),
  search: async (search) => (await import("./search.ts")).searchText(search),
  diff: async ({ before, after }) =>
    (await import("@suite/server-kit/domain")).diffTexts(before, after, {
      oldName: "before",
      newName: "after",
      context: 1,
    }),
  json: async ({ text }) => (await import("./json.ts")).toPrettyJson(text),
  sitemap: async ({ text }) => (await import("./sitemap.ts")).readSitemap(text),
};

export const runJob = <Name extends keyof Jobs>(
  name: Name,
  given: Jobs[Name]["given"],
): Promise<Jobs[Name]["answer"]> => HANDLERS[name](given);

async function runHtml({ html, want, ...options }: HtmlJob): Promise<HtmlAnswer> {
  const page = new HtmlPage(html, options);
  const { main, mainLength, textLength, hidden, hiddenLength, undecided } = page.cleaned;
  const answer = (nodes: readonly Node[], used: HtmlAnswer["used"], because?: string): HtmlAnswer => ({
    ...page.write(nodes),
    used,
    ...(because !== undefined && { because }),
    facts: page.facts,
    links: page.findLinks(used === want ? nodes : page.nodes),
    hidden,
    ...(undecided > 0 && { undecided }),
    ...(hiddenLength > textLength && { isMostlyHidden: true }),
  });
  if (textLength < SHELL_TEXT && page.tree.hasScripts)
    return { ...answer(page.nodes, "full"), embedded: findEmbedded(page.tree) };
  const answerMain = (because?: string): HtmlAnswer => {
    if (main === undefined) return answer(page.nodes, "full", because);
    if (mainLength >= textLength * LEAST_MAIN) return answer([main], "main", because);
    return answer(page.nodes, "full", because ?? "the part marked as main holds too little of the page");
  };
  if (want === "full") return answer(page.nodes, "full");
  if (want === "main") return answerMain();
  const { extractArticle } = await import("./article.ts");
  const article = extractArticle(page.tree, textLength);
  if (typeof article === "string") return answerMain(article);
  const { title, byline, published, nodes } = article;
  const { facts } = page;
  return {
    ...answer(nodes, "article"),
    links: page.findLinks(),
    facts: {
      ...facts,
      title: title ?? facts.title,
      author: facts.author ?? byline,
      published: facts.published ?? published,
    },
  };
}

import { type Embedded, findEmbedded } from "./embedded.ts";
import { convertHtml } from "./html.ts";
import type { PageFacts, PageLink } from "./page-facts.ts";
import type { Feed } from "./feed.ts";
import type { PdfText } from "./pdf.ts";
import type { Found, Search } from "./search.ts";
import type { Sitemap } from "./sitemap.ts";
import type { Converted } from "./walk.ts";

/** The jobs of the parser thread, with their answers. */
export interface Jobs {
  readonly html: { readonly given: HtmlJob; readonly answer: HtmlAnswer };
  readonly feed: { readonly given: { readonly text: string; readonly url: string }; readonly answer: Feed };
  readonly search: { readonly given: Search; readonly answer: Found };
  readonly json: { readonly given: { readonly text: string }; readonly answer: string };
  readonly sitemap: { readonly given: { readonly text: string }; readonly answer: Sitemap };
  readonly pdf: { readonly given: { readonly bytes: Uint8Array }; readonly answer: PdfText | undefined };
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
  /** Whether these hold more text than the visible ones. */
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
  json: async ({ text }) => (await import("./json.ts")).toPrettyJson(text),
  sitemap: async ({ text }) => (await import("./sitemap.ts")).readSitemap(text),
  pdf: async ({ bytes }) => (await import("./pdf.ts")).readPdf(bytes),
};

export const runJob = <Name extends keyof Jobs>(
  name: Name,
  given: Jobs[Name]["given"],
): Promise<Jobs[Name]["answer"]> => HANDLERS[name](given);

async function runHtml({ html, want, ...page }: HtmlJob): Promise<HtmlAnswer> {
  const isMarked = /<main\b|role\s*=\s*["']?main\b/i.test(html);
  const first = convertHtml(html, { ...page, collectLinks: true, onlyMain: want === "main" && isMarked });
  if (first.textLength < SHELL_TEXT && first.scripts > 0) {
    const whole = want === "main" && isMarked ? convertHtml(html, page) : first;
    return { ...toAnswer(first, whole), used: "full", embedded: findEmbedded(html) };
  }
  if (want === "main") return toMain(html, page, first, isMarked);
  if (want === "full") return { ...toAnswer(first), used: "full" };
  const { extractArticle } = await import("./article.ts");
  const article = extractArticle(html, page, first);
  if (typeof article === "string") {
    const main = toMain(html, page, convertHtml(html, { ...page, onlyMain: isMarked }), isMarked);
    return { ...toAnswer(first, main), used: main.used, because: article };
  }
  const { title, byline, published, converted } = article;
  const facts = {
    ...first.facts,
    title: title ?? first.facts.title,
    author: first.facts.author ?? byline,
    published: first.facts.published ?? published,
  };
  return { ...toAnswer(first, converted), facts, used: "article" };
}

function toMain(
  html: string,
  page: Omit<HtmlJob, "html" | "want">,
  main: Converted,
  isMarked: boolean,
): HtmlAnswer {
  if (!isMarked) return { ...toAnswer(main), used: "full" };
  if (main.mainLength >= main.textLength * LEAST_MAIN) return { ...toAnswer(main), used: "main" };
  const whole = convertHtml(html, { ...page, collectLinks: true });
  const because = "the part marked as main holds too little of the page";
  return { ...toAnswer(main, whole), links: whole.links, used: "full", because };
}

/** What was found in a page, with the text of another conversion if one is given. */
const toAnswer = (
  { facts, links, hidden, hiddenLength, textLength, ...own }: Converted,
  { markdown, anchorAt }: Pick<HtmlAnswer, "markdown" | "anchorAt"> = own,
): Omit<HtmlAnswer, "used"> => ({
  markdown,
  anchorAt,
  facts,
  links,
  hidden,
  ...(hiddenLength > textLength && { isMostlyHidden: true }),
});

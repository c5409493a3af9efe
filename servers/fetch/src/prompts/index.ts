import type { Context, PromptDefinition } from "@suite/server-kit";
import { DEFAULT_BUDGET, renderParts, type Untrusted, untrusted } from "@suite/server-kit/domain";

import { completeUrl } from "../resources/completion.ts";
import { definePrompt } from "../define.ts";
import type { FetchState } from "../state.ts";
import { readPage, requireText, toPiece } from "../tools/reading.ts";

const url = { description: "The page", required: true, complete: completeUrl } as const;

/** A person chose the page, so robots.txt does not apply. */
async function readForPerson(
  given: string,
  { state, stop, log, principal }: Context<FetchState>,
  share = 1,
): Promise<readonly (string | Untrusted)[]> {
  const { page, document } = await readPage(
    given,
    { state, stop, log, principal, budget: DEFAULT_BUDGET },
    { isByPerson: true },
  );
  const budget = Math.floor(DEFAULT_BUDGET / share);
  const { text, length, next_index } = toPiece(requireText({ page, document }), 0, budget, budget);
  const cut =
    next_index === undefined
      ? []
      : [`Truncated at ${next_index} of ${length} characters. fetch reads the rest.`];
  return [`Contents of ${page.finalUrl}:`, untrusted(text), ...cut];
}

const fetchPrompt = definePrompt({
  name: "fetch",
  title: "Fetch a page",
  description: "The contents of a page as Markdown. You ask for it yourself, so robots.txt is not applied",
  arguments: { url },
  render: async ({ url: given }, context) => renderParts(await readForPerson(given, context)),
});

const summarizePage = definePrompt({
  name: "summarize_page",
  title: "Summarize a page",
  description: "What a page says, in short, with what matters to you first",
  arguments: { url, focus: { description: "What you want to know" } },
  render: async ({ url: given, focus }, context) =>
    renderParts([
      `Summarize this page in at most ten sentences${focus === undefined ? "" : `, above all what it says about: ${focus}`}. Say what it claims, not whether it is true, and name its date if it has one.`,
      ...(await readForPerson(given, context)),
    ]),
});

const comparePages = definePrompt({
  name: "compare_pages",
  title: "Compare two pages",
  description: "What two pages, or two versions of one, have in common and where they differ",
  arguments: { first: url, second: url },
  render: async ({ first, second }, context) =>
    renderParts([
      "Compare these two pages: what both say, what only one says, and where they contradict each other. Quote the places that differ.",
      ...(await readForPerson(first, context, 2)),
      ...(await readForPerson(second, context, 2)),
    ]),
});

const researchLinks = definePrompt({
  name: "research_links",
  title: "Research from a page",
  description: "Follows the links of a page that help to answer a question",
  arguments: { url, question: { description: "What you want to find out", required: true } },
  render: ({ url: given, question }) =>
    [
      `Find out: ${question}`,
      `1. Look at the links of ${JSON.stringify(given)} with fetch and mode: "links".`,
      "2. Choose at most eight that promise an answer, and read them with fetch_many.",
      "3. Where a page is long, use search_page or fetch with section instead of reading all of it.",
      "4. Answer with the URL of the page behind each statement, and say what you could not find.",
    ].join("\n"),
});

/** In the order in which they are listed. */
export const prompts: readonly PromptDefinition<FetchState>[] = [
  fetchPrompt,
  summarizePage,
  comparePages,
  researchLinks,
];

import type { ToolDefinition } from "@suite/server-kit";

import type { FetchState } from "../state.ts";
import { checkLinks } from "./check-links.ts";
import { clearCache } from "./clear-cache.ts";
import { comparePages } from "./compare-pages.ts";
import { fetchMany } from "./fetch-many.ts";
import { fetch } from "./fetch.ts";
import { readFeed } from "./read-feed.ts";
import { readSitemap } from "./read-sitemap.ts";
import { searchPage } from "./search-page.ts";
import { summarizeUrl } from "./summarize-url.ts";

/** In the order in which they are listed. */
export const tools: readonly ToolDefinition<FetchState>[] = [
  fetch,
  fetchMany,
  searchPage,
  comparePages,
  checkLinks,
  readFeed,
  readSitemap,
  summarizeUrl,
  clearCache,
];

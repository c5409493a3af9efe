import type { Completer } from "@suite/server-kit";

import type { FetchState } from "../state.ts";

/** Ids of cached pages. */
export const completePage: Completer<FetchState> = async (_, { state, principal }) => {
  await state.web.cache.open();
  return state.web.cache.list(principal).map(({ id }) => id);
};

/** URLs that were fetched, and the hosts they are from. */
export const completeUrl: Completer<FetchState> = async (_, { state, principal }) => {
  await state.web.cache.open();
  const urls = state.web.cache.list(principal).map(({ url }) => url);
  const hosts = urls.map((url) => `${new URL(url).origin}/`);
  return [...new Set([...urls, ...hosts])];
};

import { REVISIONS } from "@suite/check/wires";

import { reaching } from "../../fetch/program.ts";
import { ROWS } from "../../fetch/rows.ts";
import { openSite } from "../../fetch/site.ts";
import { oncePerFile } from "../../support/afterwards.ts";
import { inRoot } from "../../support/root.ts";
import { FETCH } from "../../support/servers.ts";
import { fieldsIn } from "../../support/tool-rows.ts";
import type { ContractServer, ContractStage } from "../contract-server.ts";

const sharedSite = oncePerFile(openSite);

async function prepare(): Promise<ContractStage> {
  const site = await sharedSite();
  const url = `${site.origin}/manual`;
  const question = "How fast?";
  site.pages.set("/silence", () => undefined);
  site.pages.set("/watched", { body: "one" });
  return {
    args: [...reaching(site), "--watch-interval", "200ms"],
    calls: [
      ...ROWS.map(({ tool, args }) => ({ name: tool, args: fieldsIn(args, site.origin) })),
      { name: "summarize_url", args: { url, question } },
    ],
    uris: [`fetch://url/${url}`],
    prompts: {
      fetch: { url },
      summarize_page: { url },
      compare_pages: { first: url, second: `${site.origin}/` },
      research_links: { url, question },
    },
    change: {
      uri: `fetch://url/${site.origin}/watched`,
      by: () => void site.pages.set("/watched", { body: String(Math.random()) }),
    },
    slow: { name: "fetch", args: { url: `${site.origin}/silence` }, reports: false },
    logged: { name: "fetch", args: { url } },
    asks: { "sampling/createMessage": REVISIONS },
  };
}

export const fetch: ContractServer = {
  name: "fetch",
  command: FETCH,
  prepare,
  snapshot: inRoot("servers/fetch/contract.json"),
  tokens: 1500,
};

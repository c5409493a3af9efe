import { relative } from "node:path";
import { SUPPORTED_VERSIONS } from "@suite/core";
import type { Client } from "@suite/core/client";
import { showCatalog } from "./catalog.ts";
import { Conversation } from "./conversation.ts";
import { showHost, showHosts } from "./hosts.ts";
import { showRevisions } from "./revisions.ts";
import { createSampleFolder, removeSampleFolder } from "./sample-data.ts";
import type { Screen } from "./screen.ts";
import type { TourServer } from "./tour-server.ts";
import { programOf, showServer } from "./visit.ts";

const REVISIONS = `${SUPPORTED_VERSIONS.length} revisions of the protocol`;

const NEXT_STEPS = [
  { label: "npm start -- --all", text: "everything: all tools, all revisions, more calls, more hosts" },
  { label: "npm start -- git --all", text: "the same for one server" },
  { label: "servers/<name>/README.md", text: "tools, options, what you can rely on" },
  { label: "docs/quick-start.md", text: "a server of your own" },
];

/** One screen for each server, or everything there is to show. */
export async function runTour(servers: readonly TourServer[], screen: Screen, all: boolean): Promise<void> {
  const folder = createSampleFolder();
  try {
    screen.paragraph(
      `Real servers, each in a process of its own, and our own client. /sample stands for ${folder}, which is removed at the end.${all ? "" : " A bar (│) marks text from outside, which the model gets fenced as untrusted."}`,
    );
    screen.nickname(folder, "/sample");
    for (const server of servers) await (all ? showWhole : showBriefly)(server, screen, folder);
    const last = servers.at(-1);
    if (!all && last) {
      screen.title(`${last.name} in ${REVISIONS}`);
      await showRevisions(last, screen, folder);
    }
  } finally {
    removeSampleFolder(folder);
  }
  screen.title("For your host");
  (all ? showHosts : showHost)(servers, screen);
  screen.title("Next");
  screen.definitions(NEXT_STEPS);
}

async function showBriefly(server: TourServer, screen: Screen, folder: string): Promise<void> {
  screen.title(server.name);
  screen.paragraph(server.summary);
  const onQuestion = (message: string): void => screen.asked(`The user is asked, and agrees: ${message}`);
  await showServer(server, { folder, onQuestion }, async (client) => {
    screen.paragraph(await countOffers(client));
    screen.line();
    await server.show(new Conversation(client, screen), folder);
  });
}

async function countOffers(client: Client): Promise<string> {
  const [tools, templates, prompts] = await Promise.all([
    client.listTools(),
    client.listResourceTemplates(),
    client.listPrompts(),
  ]);
  const uris = templates.length === 1 ? "1 kind of resource" : `${templates.length} kinds of resources`;
  return `${tools.length} tools, ${uris}, ${prompts.length} prompts; revision ${client.agreement.revision}`;
}

async function showWhole(server: TourServer, screen: Screen, folder: string): Promise<void> {
  screen.title(server.name);
  screen.paragraph(server.summary);
  screen.paragraph(`node ${relative(process.cwd(), programOf(server))}`);
  screen.line();
  const onQuestion = (message: string): void =>
    screen.asked(`${message} (asked of the user; the tour fills in ${JSON.stringify(server.answer)})`);
  await showServer(server, { folder, onQuestion }, async (client) => {
    await showCatalog(client, screen);
    screen.heading("What it does");
    const conversation = new Conversation(client, screen);
    await server.show(conversation, folder);
    await server.more(conversation, folder);
  });
  screen.heading(`The same program in ${REVISIONS}`);
  await showRevisions(server, screen, folder);
}

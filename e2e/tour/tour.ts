import { relative } from "node:path";
import { SUPPORTED_VERSIONS } from "@suite/core";
import { showCatalog } from "./catalog.ts";
import { showHosts } from "./hosts.ts";
import { showRevisions } from "./revisions.ts";
import { createSampleFolder, removeSampleFolder } from "./sample-data.ts";
import type { Screen } from "./screen.ts";
import type { TourServer } from "./tour-server.ts";
import { programOf, visit } from "./visit.ts";

export async function runTour(servers: readonly TourServer[], screen: Screen): Promise<void> {
  const folder = createSampleFolder();
  try {
    screen.paragraph("A tour of the suite: real servers in processes of their own, and our own client.");
    for (const server of servers) await showServer(server, screen, folder);
  } finally {
    removeSampleFolder(folder);
  }
  screen.title("For your host");
  showHosts(servers, screen);
}

async function showServer(server: TourServer, screen: Screen, folder: string): Promise<void> {
  screen.title(server.name);
  screen.paragraph(server.summary);
  screen.paragraph(`node ${relative(process.cwd(), programOf(server))}`);
  screen.line();
  const onQuestion = (message: string): void =>
    screen.received(`${message} (asked of the user; the tour fills in ${JSON.stringify(server.answer)})`);
  await visit(server, { folder, onQuestion }, async (client) => {
    await showCatalog(client, screen);
    screen.heading("What it does");
    await server.show(client, screen, folder);
  });
  screen.heading(`The same program in ${SUPPORTED_VERSIONS.length} revisions of the protocol`);
  await showRevisions(server, screen, folder);
}

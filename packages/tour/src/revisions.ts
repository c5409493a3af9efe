import { ProtocolError, SUPPORTED_VERSIONS } from "@suite/core";
import type { Client } from "@suite/core/client";
import { type RecordedTransport, showServer, type TourServer } from "./conversation.ts";
import type { Row, Screen } from "./screen.ts";

type Members = Readonly<Record<string, unknown>>;

/** What a client of one revision saw of the server. */
interface Sight {
  readonly client: Client;
  readonly wire: RecordedTransport;
  readonly tool: Members;
  readonly list: Members;
  readonly result: Members;
  readonly missingCode: number | undefined;
}

const yesOrNo = (seen: boolean): string => (seen ? "yes" : "-");
const has = (members: Members, name: string): string => yesOrNo(members[name] !== undefined);

const SIGHTS: readonly (readonly [label: string, see: (sight: Sight) => string])[] = [
  ["era", ({ client }) => client.agreement.era],
  ["opened with", ({ wire }) => wire.openedWith.replace("server/", "")],
  ["completions", ({ client }) => yesOrNo(client.agreement.server.capabilities.completions !== undefined)],
  ["tool annotations", ({ tool }) => has(tool, "annotations")],
  ["tool title", ({ tool }) => has(tool, "title")],
  ["outputSchema", ({ tool }) => has(tool, "outputSchema")],
  ["structuredContent", ({ result }) => has(result, "structuredContent")],
  ["user is asked", ({ wire }) => wire.question ?? "-"],
  ["resource missing", ({ missingCode }) => String(missingCode ?? "-")],
  ["list has ttlMs", ({ list }) => has(list, "ttlMs")],
];

interface RevisionComparison {
  readonly revisions: readonly string[];
  readonly rows: readonly Row[];
}

export async function showRevisions(server: TourServer, screen: Screen, folder: string): Promise<void> {
  const { revisions, rows } = await compareRevisions(server, folder);
  screen.table(revisions, rows);
}

/** The same program once per revision: what each of them sees of it. */
export async function compareRevisions(server: TourServer, folder: string): Promise<RevisionComparison> {
  const revisions = SUPPORTED_VERSIONS.toReversed();
  const columns: (readonly string[])[] = [];
  for (const revision of revisions) {
    const column = await showServer(server, { folder, revision }, async (client, wire) => {
      const sight = await look(server, client, wire);
      return SIGHTS.map(([, see]) => see(sight));
    });
    columns.push(column);
  }
  const rows = SIGHTS.map(([label], row): Row => ({
    label,
    cells: columns.map((column) => column[row] ?? ""),
  }));
  return { revisions, rows };
}

async function look(server: TourServer, client: Client, wire: RecordedTransport): Promise<Sight> {
  const list = await client.request("tools/list");
  const tools = list["tools"] as readonly Members[];
  const tool = tools.find(({ name }) => name === server.sample.name) ?? {};
  const result = await client.callTool(server.sample.name, server.sample.args);
  await client.callTool(server.asking.name, server.asking.args);
  return { client, wire, tool, list, result, missingCode: await codeOfMissing(client, server.missing) };
}

async function codeOfMissing(client: Client, uri: string): Promise<number | undefined> {
  try {
    await client.readResource(uri);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return thrown.code;
    throw thrown;
  }
}

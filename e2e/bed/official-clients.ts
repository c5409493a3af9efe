import { pathToFileURL } from "node:url";

import {
  callsOf,
  type Check,
  firstLineOf,
  type KnownServer,
  makeChange,
  makeValue,
  type SampleCall,
  type Setting,
  type Visit,
} from "@suite/check";
import { type Fields, listAll, until } from "@suite/check/wires";

import { isSince, MATRIX, type Pairing } from "../clients/matrix.ts";
import { isRunning, type Outsider, type OutsiderResult } from "../clients/outsider.ts";

type Find = (words: string) => void;

/** One by one: the next begins where the last one ended. */
async function followPages<Item>(
  list: (params?: { cursor: string }) => Promise<{ readonly nextCursor?: string | undefined }>,
  member: string,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor === undefined ? undefined : { cursor });
    items.push(...((page as Fields)[member] as Item[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined && items.length < 10_000);
  return items;
}

/** What the raw wire was shown, the client must be shown too; a stranger may go by what else a client can do. */
async function findOtherLists(visit: Visit, { client }: Outsider, find: Find): Promise<void> {
  const { wire, capabilities, tools, known } = visit;
  const compare = (what: string, seen: readonly string[], raw: readonly unknown[]): void => {
    if (known && JSON.stringify(seen) !== JSON.stringify(raw))
      find(`is shown other ${what}: ${seen.join(", ")}`);
  };
  if (capabilities["tools"] !== undefined) {
    const seen = await followPages<{ name: string }>((page) => client.listTools(page), "tools");
    const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);
    compare("tools", names(seen), names(tools));
  }
  if (capabilities["resources"] !== undefined) {
    const seen = await followPages<{ uriTemplate: string }>(
      (page) => client.listResourceTemplates(page),
      "resourceTemplates",
    );
    const raw = await listAll(wire, "resources/templates/list");
    const uris = (all: readonly { uriTemplate?: unknown }[]): string[] =>
      all.map(({ uriTemplate }) => String(uriTemplate));
    compare("templates", uris(seen), uris(raw));
    // The raw client has changed what there is meanwhile.
    await followPages((page) => client.listResources(page), "resources");
  }
  if (capabilities["prompts"] === undefined) return;
  const seen = await followPages<{ name: string }>((page) => client.listPrompts(page), "prompts");
  const raw = await listAll(wire, "prompts/list");
  compare(
    "prompts",
    seen.map(({ name }) => name),
    raw.map(({ name }) => name),
  );
}

/** Ids and times differ from call to call; what a result is made of does not. */
const shapeOf = ({ content = [], structuredContent }: Partial<OutsiderResult> = {}): string =>
  JSON.stringify([content.map(({ type }) => type), Object.keys(structuredContent ?? {})]);

/** The client itself holds every structured result to the schema that it was shown. */
async function findFailedCalls(
  { revision, known, results }: Visit,
  { callTool }: Outsider,
  calls: readonly SampleCall[],
  find: Find,
): Promise<void> {
  for (const [at, { name, args }] of calls.entries()) {
    const result = await callTool(name, args).catch((error: unknown) => {
      // Nobody knows how a stranger takes arguments that were made up; but what it gave, clients must be able to read.
      if (results[at]) throw error;
    });
    if (!known || !result) continue;
    const [seen, raw] = [shapeOf(result), shapeOf(results[at])];
    if (result.isError) find(`fails with ${name}: ${String(result.content[0]?.["text"]).slice(0, 200)}`);
    else if ((result.structuredContent !== undefined) !== isSince(revision, "2025-06-18"))
      find(`gets ${name} ${result.structuredContent === undefined ? "without" : "with"} structuredContent`);
    else if (seen !== raw) find(`gets ${seen} of ${name}, and not ${raw}`);
  }
}

async function findAccepted(
  { client, callTool }: Outsider,
  [call]: readonly SampleCall[],
  find: Find,
): Promise<void> {
  const unknown = "no such argument";
  const { content, isError } = await callTool(call?.name ?? "", { [unknown]: 1 });
  if (!isError || !JSON.stringify(content).includes(unknown)) find(`is not told of a wrong argument`);
  const read = await client.readResource({ uri: "no-such-scheme:nothing" }).catch(() => undefined);
  if (read) find("reads a resource that is not there");
}

async function findUnread({ client }: Outsider, known: KnownServer, find: Find): Promise<void> {
  for (const uri of known.uris ?? []) {
    const [content] = (await client.readResource({ uri })).contents;
    if (content?.["uri"] !== uri || !(content["text"] ?? content["blob"])) find(`reads nothing at ${uri}`);
  }
  for (const [name, args] of Object.entries(known.prompts ?? {})) {
    const { messages } = await client.getPrompt({ name, arguments: args });
    if (messages.length === 0) find(`gets nothing from the prompt ${name}`);
    for (const argument of Object.keys(args))
      await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value: "" } });
  }
  if (client.getServerCapabilities()?.["completions"] === undefined) return;
  for (const { uriTemplate: uri } of (await client.listResourceTemplates()).resourceTemplates) {
    const [, name = ""] = /\{\+?(\w+)/.exec(uri) ?? [];
    await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value: "" } });
  }
}

function findUnasked({ asked, revision }: Outsider, { asks = {} }: KnownServer, find: Find): void {
  for (const [method, revisions] of Object.entries(asks))
    if (revisions.includes(revision) && !asked.some((one) => one.method === method))
      find(`was never asked for ${method}`);
}

async function findUnheard(
  { listen, notified, callTool }: Outsider,
  known: KnownServer,
  find: Find,
): Promise<void> {
  const uri = known.change?.uri;
  if (uri === undefined) return;
  const isTold = (): boolean =>
    notified.some(
      ({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === uri,
    );
  const listening = await listen([uri]);
  const isHeard = await makeChange(known.change, callTool, (timeoutMs) =>
    until(isTold, "The news", { timeoutMs }).catch(() => false),
  );
  if (!isHeard) find(`did not hear that ${uri} changed`);
  await listening.close();
}

async function findUnstoppable(
  { callTool, client }: Outsider,
  known: KnownServer,
  find: Find,
): Promise<void> {
  if (!known.slow) return;
  const { name, args } = known.slow;
  const controller = new AbortController();
  const call = callTool(name, args, { signal: controller.signal }).then(
    () => true,
    () => false,
  );
  setTimeout(() => controller.abort(new Error("enough")), 100);
  if (await call) find(`gets an answer to ${name}, which it had aborted`);
  await client.listTools();
}

async function findWith({ connect }: Pairing, visit: Visit, find: Find): Promise<void> {
  const another = await visit.again();
  try {
    const { place } = another;
    const outsider = await connect("url" in place ? new URL(place.url) : place.command);
    try {
      await drive(outsider, visit, another, find);
    } finally {
      await outsider.client.close();
    }
    if (outsider.pid !== 0 && isRunning(outsider.pid)) find("leaves its server running");
  } finally {
    await another.end?.();
  }
}

async function drive(
  outsider: Outsider,
  visit: Visit,
  { known, folder }: Setting,
  find: Find,
): Promise<void> {
  const { answers } = outsider;
  answers.roots = [{ uri: pathToFileURL(folder).href, name: "bed" }];
  answers.elicit = ({ requestedSchema }) => ({
    action: "accept",
    content: makeValue((requestedSchema ?? {}) as Fields, { agrees: true }) as Record<string, boolean>,
  });
  if (outsider.revision !== visit.revision) find(`agrees on ${outsider.revision}`);
  await findOtherLists(visit, outsider, find);
  const calls = callsOf({ ...visit, known });
  await findFailedCalls(visit, outsider, calls, find);
  if (!known) return;
  await findAccepted(outsider, calls, find);
  await findUnread(outsider, known, find);
  findUnasked(outsider, known, find);
  await findUnheard(outsider, known, find);
  await findUnstoppable(outsider, known, find);
}

/** Those that nobody here wrote, each on a server of its own, on which it does all of the above once more. */
const tryClients = (choose: (speakers: readonly Pairing[], visit: Visit) => readonly Pairing[]): Check => ({
  name: "official clients",
  async run(visit, note) {
    const speakers = MATRIX.filter(({ revision }) => revision === visit.revision);
    for (const pairing of choose(speakers, visit)) {
      const findOf: Find = (words) => note("suite/clients", `${pairing.label} ${words}`);
      await findWith(pairing, visit, findOf).catch((error: unknown) => findOf(firstLineOf(error)));
    }
    return undefined;
  },
});

/** Each is tried over standard streams; over HTTP they differ in nothing that concerns a server. */
export const officialClients: Check = tryClients((speakers, { transport }) =>
  transport === "stdio" ? speakers : speakers.slice(0, 1),
);

/** Where two speak a revision, one of them: v2 in one of the two such revisions, v1 in the other. */
export const oneOfficialClient: Check = tryClients((speakers, { revision }) =>
  revision === "2025-06-18" ? speakers.slice(-1) : speakers.slice(0, 1),
);

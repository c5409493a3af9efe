import { readFileSync } from "node:fs";

import type { ClientCapabilities, Middleware, Result, Tool } from "@suite/core";

import { isObject } from "../../domain/text/json-value.ts";
import { continueWith } from "./continue-with.ts";
import type { ToolDefinition } from "./tool.ts";

/** MCP Apps (SEP-1865). Only clients declare it. */
const APPS = "io.modelcontextprotocol/ui";
const PAGE_TYPE = "text/html;profile=mcp-app";
/** A page changes only with the server's version, and has no data of its own. */
const CACHE = { ttlMs: 3_600_000, cacheScope: "public" } as const;

/** Whether a client can show views. Others are told nothing of them. */
export function showsViews({ extensions }: ClientCapabilities): boolean {
  const declared = extensions?.[APPS];
  const types = isObject(declared) ? declared["mimeTypes"] : undefined;
  return Array.isArray(types) && types.includes(PAGE_TYPE);
}

/** The name of a tool's view. The kit has one for every change, because every tool that writes reports it alike. */
export const viewOf = ({ view, effects }: Pick<ToolDefinition, "view" | "effects">): string | undefined =>
  view ?? (effects === "read" ? undefined : "change");

const uriOf = (server: string, view: string): string => `ui://${server}/${view}`;

/** A tool as it is listed for clients that can show its view. */
export const withView = (listed: Tool, server: string, view: string | undefined): Tool =>
  view === undefined
    ? listed
    : { ...listed, _meta: { ...listed._meta, ui: { resourceUri: uriOf(server, view) } } };

interface OfferedViews {
  /** With a file `NAME.html` for each view. */
  readonly folder: URL;
  readonly server: string;
  readonly tools: readonly Pick<ToolDefinition, "name" | "view" | "effects">[];
}

/** Names views in the list of tools, and gives their pages: they are in no list themselves. */
export function createViewsLayer({ folder, server, tools }: OfferedViews): Middleware {
  const views = new Map(tools.map((tool) => [tool.name, viewOf(tool)]));
  const names = new Map(
    [...views.values()].flatMap((view) => (view === undefined ? [] : [[uriOf(server, view), view]])),
  );
  const addViews = (result: Result): Result => ({
    ...result,
    tools: (result["tools"] as readonly Tool[]).map((tool) => withView(tool, server, views.get(tool.name))),
  });
  return (call, next) => {
    const page = call.method === "resources/read" ? names.get(call.name ?? "") : undefined;
    if (page === undefined && call.method !== "tools/list") return next(call);
    if (!showsViews(call.context.client.capabilities)) return next(call);
    if (page === undefined) return continueWith(() => next(call), addViews, rethrow);
    const text = readFileSync(new URL(`${page}.html`, folder), "utf8");
    const contents = [{ uri: call.name, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }];
    return { contents, ...CACHE };
  };
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

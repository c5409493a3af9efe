import type { Tree } from "./tree.ts";

/** A small repository that keeps every rule. */
export const clean: Tree = {
  "package.json": `{ "name": "suite" }`,
  "packages/core/package.json": `{
    "name": "@suite/core",
    "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }, "./node": "./dist/node.js" }
  }`,
  "packages/core/src/index.ts": `export { serve } from "./serve.ts";`,
  "packages/core/src/node.ts": `export { stdio } from "./transport/stdio.ts";`,
  "packages/core/src/http.ts": `export { http } from "./transport/http.ts";`,
  "packages/core/src/client.ts": `export { connect } from "./client/connect.ts";`,
  "packages/core/src/testing.ts": `export { serve } from "./serve.ts";`,
  "packages/core/src/serve.ts": `import { select } from "./revision/select.ts"; export const serve = select;`,
  "packages/core/src/transport/stdio.ts": `
    import { stdin } from "node:process";
    import type { Message } from "../jsonrpc/message.ts";
    export const stdio = (message: Message) => [stdin, message, import("./http.ts")];`,
  "packages/core/src/transport/http.ts": `import "node:http"; export const http = Buffer.from("a");`,
  "packages/core/src/client/connect.ts": `import "../revision/select.ts"; export const connect = 1;`,
  "packages/core/src/revision/select.ts": `import { call } from "../features/tools.ts"; export const select = call;`,
  "packages/core/src/features/tools.ts": `
    import { parse } from "../schema/parse.ts";
    export const call = (server: { process: unknown }) => [parse, server.process];`,
  "packages/core/src/schema/parse.ts": `
    import type { Entity } from "../model/entity.ts";
    export const parse = (message: import("../jsonrpc/message.ts").Message) => typeof Buffer;`,
  "packages/core/src/model/entity.ts": `export interface Entity { readonly name: string }`,
  "packages/core/src/jsonrpc/message.ts": `export interface Message { readonly method: string }`,
  "packages/core/test/serve.test.ts": `import "../src/serve.ts"; import "./transcript.ts"; import "vitest";`,
  "packages/core/test/transcript.ts": `export const transcript = 1;`,
  "packages/server-kit/package.json": `{
    "name": "@suite/server-kit",
    "exports": { ".": "./dist/index.js", "./domain": "./dist/domain.js", "./outbound": "./dist/outbound.js" }
  }`,
  "packages/server-kit/src/index.ts": `import "@suite/core"; import "./domain/text/reveal.ts"; export const kit = 1;`,
  "packages/server-kit/src/domain.ts": `export { Fault } from "./domain/errors/fault.ts";`,
  "packages/server-kit/src/outbound.ts": `export const outbound = import("./domain/outbound/undici-client.ts");`,
  "packages/server-kit/src/domain/outbound/undici-client.ts": `import "undici"; import "ipaddr.js"; export const client = 1;`,
  "packages/server-kit/src/schemas.ts": `import "valibot"; export const schemas = 1;`,
  "packages/server-kit/src/domain/errors/fault.ts": `import "node:path"; import "../text/reveal.ts"; export class Fault {}`,
  "packages/server-kit/src/domain/text/reveal.ts": `export const reveal = 1;`,
  "packages/auth/package.json": `{ "name": "@suite/auth" }`,
  "packages/auth/src/fetch-json.ts": `export const createFetchJson = (fetch = globalThis.fetch) => fetch;`,
  "servers/notes/package.json": `{ "name": "@suite/example-notes" }`,
  "servers/notes/src/main.ts": `import "./server.ts"; process.exitCode = 0;`,
  "servers/notes/src/fetch.ts": `export const fetch = (notes: { fetch: 1 }) => notes.fetch;`,
  "servers/notes/src/index.ts": `import { fetch } from "./fetch.ts"; export const tools = [fetch];`,
  "servers/notes/src/worker.ts": `import "./domain/notes.ts"; process.send?.(1);`,
  "servers/notes/src/server.ts": `import "@suite/server-kit"; import "./domain/notes.ts"; export const server = 1;`,
  "servers/notes/src/domain/notes.ts": `
    import "node:fs";
    import "valibot";
    import { Fault } from "@suite/server-kit/domain";
    import { outbound } from "@suite/server-kit/outbound";
    export const notes = [Fault, outbound];`,
  "servers/sqlite/package.json": `{ "name": "@suite/server-sqlite" }`,
  "servers/sqlite/src/domain/worker/work.ts": `import "better-sqlite3"; import "../protocol/statements.ts"; export const work = 1;`,
  "servers/sqlite/src/domain/engine/start.ts": `import "../protocol/statements.ts"; export const start = 1;`,
  "servers/sqlite/src/domain/protocol/statements.ts": `export const protocol = 1;`,
  "e2e/package.json": `{ "name": "@suite/e2e" }`,
  "e2e/peers.test.ts": `import "@modelcontextprotocol/sdk"; import "@suite/core/node"; await import(peer);`,
};

const core = "packages/core/src";

/** For each rule, changes to the clean repository that break this rule and no other. */
export const violations: Readonly<Record<string, readonly Tree[]>> = {
  "core-folders": [
    { [`${core}/features/tools.ts`]: `import "../dispatch/table.ts";`, [`${core}/dispatch/table.ts`]: `` },
    { [`${core}/features/tools.ts`]: `export * from "../connection/a.ts";`, [`${core}/connection/a.ts`]: `` },
    {
      [`${core}/dispatch/table.ts`]: `import type { A } from "../connection/a.ts";`,
      [`${core}/connection/a.ts`]: `export type A = 1;`,
    },
    { [`${core}/connection/a.ts`]: `export type A = typeof import("../revision/select.ts");` },
    { [`${core}/connection/a.ts`]: `await import("../revision/select.ts");` },
    {
      [`${core}/revision/other.ts`]: `import "../transport/memory.ts";`,
      [`${core}/transport/memory.ts`]: ``,
    },
    { [`${core}/jsonrpc/error.ts`]: `import "../model/entity.ts";` },
    { [`${core}/model/other.ts`]: `import "../uri-template/a.ts";`, [`${core}/uri-template/a.ts`]: `` },
    { [`${core}/schema/other.ts`]: `import "../uri-template/a.ts";`, [`${core}/uri-template/a.ts`]: `` },
    { [`${core}/uri-template/a.ts`]: `import "../schema/parse.ts";` },
    { [`${core}/client/other.ts`]: `import "../features/tools.ts";` },
    { [`${core}/features/other.ts`]: `import "../client/connect.ts";` },
    { [`${core}/helpers/a.ts`]: `export const a = 1;` },
  ],
  "core-roots": [{ [`${core}/features/other.ts`]: `import "../server.ts";`, [`${core}/server.ts`]: `` }],
  "core-has-no-dependencies": [
    { [`${core}/schema/other.ts`]: `import type { JSONSchema7 } from "json-schema";` },
    { [`${core}/schema/other.ts`]: `await import("valibot");` },
  ],
  "node-free-index": [
    { [`${core}/features/tools.ts`]: `import "node:fs"; export const call = 1;` },
    { [`${core}/schema/parse.ts`]: `export const parse = (text: string) => Buffer.from(text);` },
    { [`${core}/index.ts`]: `import type { stdio } from "./transport/stdio.ts";` },
  ],
  "node-behind-node-entries": [{ [`${core}/transport/orphan.ts`]: `import "node:net";` }],
  "kit-stands-on-the-suite": [
    { "packages/server-kit/src/run.ts": `await import("commander");` },
    { "packages/server-kit/src/run.ts": `import type { A } from "@suite/example-notes-types";` },
    { "packages/server-kit/src/run.ts": `import "@suite/core-tools";` },
  ],
  "telemetry-stands-on-its-peer": [
    {
      "packages/server-kit/src/serving/telemetry/open-telemetry.ts": `import "@opentelemetry/sdk-trace-node";`,
    },
  ],
  "schemas-stand-on-valibot": [
    { "packages/server-kit/src/schemas.ts": `import "zod";` },
    { "packages/server-kit/src/schemas.ts": `import type { A } from "valibot/types";` },
    { "packages/server-kit/src/schemas.ts": `import "./domain/text/reveal.ts";` },
    { "packages/server-kit/src/schemas.ts": `await import("@suite/core");` },
  ],
  "outbound-stands-on-undici": [
    { "packages/server-kit/src/domain/outbound/other.ts": `import "axios";` },
    { "packages/server-kit/src/domain/outbound/undici-client.ts": `await import("undici-types");` },
  ],
  "undici-only-in-client": [
    { "packages/server-kit/src/domain/outbound/other.ts": `import "undici/lib/dispatcher/agent.js";` },
    { "servers/notes/src/domain/other.ts": `await import("undici");` },
  ],
  "below-the-kit": [{ "packages/auth/src/index.ts": `import "@suite/server-kit";` }],
  "servers-stand-on-the-kit": [
    { "servers/notes/src/other.ts": `import type { A } from "@suite/core";` },
    { "servers/notes/test/other.test.ts": `import "@suite/core/node";` },
  ],
  "start-needs-the-program-only": [
    { "servers/notes/src/options.ts": `import { isObject } from "@suite/server-kit/domain";` },
  ],
  "views-are-pages": [{ "servers/notes/src/views/other.ts": `import "node:fs";` }],
  "views-stay-inside": [
    {
      "servers/notes/src/views/other.ts": `import "../other.ts";`,
      "servers/notes/src/other.ts": `export {};`,
    },
  ],
  "views-are-not-imported": [
    {
      "servers/notes/src/other.ts": `import "./views/other.ts";`,
      "servers/notes/src/views/other.ts": `export {};`,
    },
  ],
  "check-stands-alone": [{ "packages/check/src/other.ts": `import "@suite/server-kit";` }],
  "check-knows-its-order": [
    {
      "packages/check/src/rules/other.ts": `import "../checks/other.ts";`,
      "packages/check/src/checks/other.ts": `export {};`,
    },
  ],
  "domain-knows-no-suite": [
    { "servers/notes/src/domain/other.ts": `import type { A } from "@suite/auth";` },
    { "servers/notes/src/domain/other.ts": `import "@suite/server-kit";` },
    { "servers/notes/src/domain/other.ts": `await import("@suite/server-kit/domain/fault");` },
  ],
  "kit-domain-knows-no-suite": [
    { "packages/server-kit/src/domain/errors/other.ts": `import type { A } from "@suite/core";` },
    { "packages/server-kit/src/domain/paths/other.ts": `import "@suite/auth";` },
    { "packages/server-kit/src/domain/text/other.ts": `await import("@suite/core/node");` },
    { "packages/server-kit/src/domain/processes/other.ts": `import "@suite/core";` },
    { "packages/server-kit/src/domain/outbound/other.ts": `import "@suite/core";` },
    { "packages/server-kit/src/domain.ts": `export { serve } from "@suite/core";` },
  ],
  "kit-domain-stays-inside": [
    {
      "packages/server-kit/src/domain/errors/other.ts": `import "../../serving/options/exit.ts";`,
      "packages/server-kit/src/serving/options/exit.ts": ``,
    },
    {
      "packages/server-kit/src/domain/text/other.ts": `import type { A } from "../../serving/contract/tool.ts";`,
      "packages/server-kit/src/serving/contract/tool.ts": `export type A = 1;`,
    },
    { "packages/server-kit/src/domain.ts": `export * from "./index.ts";` },
  ],
  "folders-one-way": [
    {
      "packages/server-kit/src/domain/paths/guard.ts": `import "../processes/wait.ts";`,
      "packages/server-kit/src/domain/paths/roots.ts": ``,
      "packages/server-kit/src/domain/processes/wait.ts": ``,
      "packages/server-kit/src/domain/processes/find.ts": `import "../paths/roots.ts";`,
    },
  ],
  "domain-folders": [
    {
      "servers/filesystem/src/domain/walking/walk.ts": `import "../writing/write.ts";`,
      "servers/filesystem/src/domain/writing/write.ts": ``,
    },
    {
      "servers/filesystem/src/domain/reading/read.ts": `import type { A } from "../searching/find.ts";`,
      "servers/filesystem/src/domain/searching/find.ts": `export type A = 1;`,
    },
    {
      "servers/sqlite/src/domain/values/cell.ts": `await import("../transfer/field.ts");`,
      "servers/sqlite/src/domain/transfer/field.ts": ``,
    },
    { "servers/sqlite/src/domain/sql-policy/admit.ts": `import "../protocol/statements.ts";` },
    { "servers/sqlite/src/domain/worker/other.ts": `import type { A } from "../engine/start.ts";` },
    { "servers/sqlite/src/domain/engine/other.ts": `import "../worker/work.ts";` },
    {
      "servers/git/src/domain/reading/log.ts": `import "../writing/commit.ts";`,
      "servers/git/src/domain/writing/commit.ts": ``,
    },
    {
      "servers/fetch/src/domain/parsing/tokens.ts": `import "../render.ts";`,
      "servers/fetch/src/domain/render.ts": ``,
    },
    {
      "servers/github/src/domain/gateway/gateway.ts": `import "../search/find.ts";`,
      "servers/github/src/domain/search/find.ts": ``,
    },
    { "servers/notes/src/domain/helpers/a.ts": `export const a = 1;` },
  ],
  "domain-stays-inside": [
    { "servers/notes/src/domain/other.ts": `import "../options.ts";`, "servers/notes/src/options.ts": `` },
  ],
  "sqlite-only-in-its-worker": [
    { "servers/sqlite/src/domain/engine/other.ts": `await import("better-sqlite3");` },
    { "servers/notes/src/server.ts": `import "better-sqlite3"; export const server = 1;` },
  ],
  "process-only-in-main": [
    { "servers/notes/src/options.ts": `export const home = process.env["HOME"];` },
    { "servers/notes/src/options.ts": `const { env } = process;` },
    { "servers/notes/src/options.ts": `import { env } from "node:process";` },
  ],
  "no-global-fetch": [
    { "servers/notes/src/domain/other.ts": `export const page = await fetch("https://example.com");` },
    { "servers/notes/src/other.ts": `export const fetch = globalThis.fetch;` },
    { "packages/server-kit/src/run.ts": `export const send = (own = fetch) => own;` },
    { "packages/auth/src/index.ts": `const { fetch } = globalThis;` },
  ],
  "packages-below-servers": [{ "packages/core/test/other.test.ts": `import "@suite/example-notes";` }],
  "peers-only-in-e2e": [
    { "servers/notes/src/other.ts": `import type { A } from "@modelcontextprotocol/sdk/types.js";` },
  ],
  "tests-are-not-imported": [{ [`${core}/other.ts`]: `import "../test/transcript.ts";` }],
  "e2e-is-not-imported": [{ "servers/notes/src/other.ts": `import "@suite/e2e";` }],
  "packages-by-name": [{ "e2e/other.ts": `import "../servers/notes/src/server.ts";` }],
  "imports-resolve": [{ [`${core}/other.ts`]: `import "./missing.ts";` }],
  "imports-are-literal": [{ [`${core}/other.ts`]: `await import(name);` }],
  "no-cycles": [
    { "e2e/a.ts": `import "./b.ts";`, "e2e/b.ts": `import "./a.ts";` },
    { "e2e/a.ts": `import type { B } from "./b.ts";`, "e2e/b.ts": `export { A } from "./a.ts";` },
    { "e2e/a.ts": `import "./a.ts";` },
  ],
};

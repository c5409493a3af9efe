import { HEADER_MISMATCH, ProtocolError, shorten } from "../../jsonrpc/error.ts";
import { isObject, type JSONRPCRequest, type Params } from "../../jsonrpc/message.ts";
import type { Catalog } from "../../features/catalog.ts";
import type { ToolEntry } from "../../features/tool.ts";
import { META_PROTOCOL_VERSION } from "../../model/meta.ts";
import { remembered } from "../../values/remembered.ts";
import type { HttpExchange } from "./exchange.ts";
import { decodeHeaderValue, NAMED_BY } from "./header-values.ts";
import { readParamHeaders, valueAt, type ParamHeader } from "./param-headers.ts";

/** Headers and body must say the same, or a proxy and this server would act on different requests (server-validation). */
export function checkHeaders(
  exchange: HttpExchange,
  request: JSONRPCRequest,
  meta: Params,
  catalog: Catalog,
): void {
  const { method, params = {} } = request;
  expectEqual("MCP-Protocol-Version", read(exchange, "MCP-Protocol-Version"), meta[META_PROTOCOL_VERSION]);
  expectEqual("Mcp-Method", read(exchange, "Mcp-Method"), method);
  const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  if (member === undefined || typeof params[member] !== "string") return;
  expectEqual("Mcp-Name", readDecoded(exchange, "Mcp-Name"), params[member]);
  if (method !== "tools/call") return;
  const entry = catalog.tools?.get(params[member]);
  if (entry) for (const param of paramHeadersOf(entry)) checkParam(exchange, param, params["arguments"]);
}

/** An annotation that clients would have to refuse is the author's mistake, and better found at the start. */
export function checkAnnotations(catalog: Catalog): void {
  for (const entry of catalog.tools?.values() ?? []) {
    const { name, inputSchema } = entry.listed();
    const found = readParamHeaders(inputSchema);
    if (typeof found === "string") throw new Error(`Tool ${name} cannot be served over HTTP: ${found}`);
  }
}

const paramHeadersOf = remembered((entry: ToolEntry): readonly ParamHeader[] => {
  const found = readParamHeaders(entry.listed().inputSchema);
  return typeof found === "string" ? [] : found;
});

function checkParam(exchange: HttpExchange, { header, path, type }: ParamHeader, args: unknown): void {
  const value = isObject(args) ? valueAt(args, path) : undefined;
  const given = readDecoded(exchange, header);
  if (value === undefined || value === null) {
    if (given !== undefined) throw mismatch(`${header} is given, but the body has no such argument`);
    return;
  }
  const agrees =
    type === "integer" && given !== undefined ? isSameNumber(given, value) : given === toText(value);
  if (!agrees) throw mismatch(`${header} does not repeat the argument in the body`);
}

/** Undefined, which equals no header, unless the value is a primitive. */
const toText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number"
    ? String(value)
    : undefined;

/** `42.0` and `42` are the same integer (streamable-http#server-validation); past 2^53 numbers stop being exact. */
const isSameNumber = (text: string, value: unknown): boolean =>
  /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** Node joins repeated lines, and the joined value might match although no single line does. */
function read(exchange: HttpExchange, name: string): string | undefined {
  const header = name.toLowerCase();
  if (exchange.repeats(header)) throw mismatch(`${name} is given more than once`);
  return exchange.header(header);
}

function readDecoded(exchange: HttpExchange, name: string): string | undefined {
  const value = read(exchange, name);
  if (value === undefined) return undefined;
  const plain = decodeHeaderValue(value);
  if (plain === undefined) throw mismatch(`${name} is not a valid header value`);
  return plain;
}

function expectEqual(name: string, header: string | undefined, body: unknown): void {
  if (header === undefined) throw mismatch(`${name} is missing`);
  if (header !== body)
    throw mismatch(`${name} is ${JSON.stringify(shorten(header))}, but the body says otherwise`);
}

const mismatch = (what: string): ProtocolError =>
  new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${what}`);

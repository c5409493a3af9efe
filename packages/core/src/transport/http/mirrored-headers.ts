import { isObject, type JSONRPCMessage, type JSONRPCRequest } from "../../jsonrpc/message.ts";
import type { Tool } from "../../model/entities.ts";
import { META_PROTOCOL_VERSION } from "../../model/meta.ts";
import type { Headers } from "./exchange.ts";
import { encodeHeaderValue, NAMED_BY } from "./header-values.ts";
import { readParamHeaders, valueAt, type ParamHeader } from "./param-headers.ts";

const NONE: Headers = {};

/** What a modern client repeats in headers, so that proxies can route by it (streamable-http#request-metadata). */
export class MirroredHeaders {
  readonly #paramHeadersOf = new Map<string, readonly ParamHeader[]>();

  /** Remembers which headers each tool wants. A tool with invalid annotations must not be offered (tools#x-mcp-header). */
  admit(tools: readonly Tool[], refuse: (message: string) => void): readonly Tool[] {
    return tools.filter(({ name, inputSchema }) => {
      const found = readParamHeaders(inputSchema);
      if (typeof found !== "string") {
        this.#paramHeadersOf.set(name, found);
        return true;
      }
      this.#paramHeadersOf.delete(name);
      refuse(`Tool ${name} is left out: ${found}`);
      return false;
    });
  }

  /** Empty unless the message is a modern request. */
  of(message: JSONRPCMessage | readonly JSONRPCMessage[]): Headers {
    if (!("method" in message) || !("id" in message)) return NONE;
    const version = versionOf(message);
    if (version === undefined) return NONE;
    const { method, params = {} } = message;
    const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
    const name = member === undefined ? undefined : params[member];
    return {
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": encodeHeaderValue(name) }),
      ...(method === "tools/call" && this.#paramsOf(String(name), params["arguments"])),
    };
  }

  #paramsOf(tool: string, args: unknown): Headers {
    const headers: Record<string, string> = {};
    for (const { header, path } of this.#paramHeadersOf.get(tool) ?? []) {
      const value = valueAt(args, path);
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
        headers[header] = encodeHeaderValue(String(value));
      }
    }
    return headers;
  }
}

function versionOf({ params }: JSONRPCRequest): string | undefined {
  const meta = params?.["_meta"];
  const version = isObject(meta) ? meta[META_PROTOCOL_VERSION] : undefined;
  return typeof version === "string" ? version : undefined;
}

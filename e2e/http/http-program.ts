import { connect, type Socket } from "node:net";

import {
  type Fields,
  JSON_HEADERS,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  until,
} from "@suite/check/wires";

import { Child } from "../support/child.ts";
import { NOTES } from "../support/servers.ts";

/** A built program behind HTTP, for all tests of a file: whoever starts it stops it. */
export class HttpProgram {
  readonly url: URL;
  readonly #child: Child;

  private constructor(url: URL, child: Child) {
    this.url = url;
    this.#child = child;
  }

  static async start(
    args: readonly string[] = [],
    command: readonly string[] = NOTES,
    env: NodeJS.ProcessEnv = {},
  ): Promise<HttpProgram> {
    const nothing = (): void => undefined;
    const child = new Child([...command, "--http", "0", ...args], env, { line: nothing, ended: nothing });
    const findUrl = (): string | undefined => /listening on (\S+)$/m.exec(child.stderr)?.[1];
    try {
      const url = await until(findUrl, "Listening", { seen: () => child.stderr });
      return new HttpProgram(new URL(url), child);
    } catch (error) {
      // Nobody else knows of it yet.
      child.kill("SIGKILL");
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything on standard error but the line that says where it listens. */
  get complaints(): string {
    return this.#child.stderr.replace(/^.*listening on \S+\n/, "");
  }

  /** A connection on which any bytes can be said. */
  async dial(): Promise<RawConnection> {
    const socket = connect(Number(this.url.port), this.url.hostname);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new RawConnection(socket);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }
}

export class RawConnection {
  readonly socket: Socket;
  heard = "";

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1").on("data", (text: string) => (this.heard += text));
    // A server that cuts the connection is a thing to observe.
    socket.on("error", () => undefined);
  }

  async hear(text: string): Promise<void> {
    await until(() => this.heard.includes(text) || this.socket.closed, `"${text}"`);
    if (!this.heard.includes(text)) throw new Error(`The connection ended without "${text}": ${this.heard}`);
  }
}

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** One request as it goes over the wire. */
export function toBytes(url: URL, method: string, headers: HeaderLines, body = ""): string {
  const length = ["Content-Length", String(Buffer.byteLength(body))] as const;
  const lines = [["Host", url.host], ...headers, ...(body === "" ? [] : [length])] as const;
  const head = [`${method} ${url.pathname} HTTP/1.1`, ...lines.map((line) => line.join(": "))];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** A request of the modern era, with its headers. */
export function toModernBytes(url: URL, method: string, params: Fields, more: HeaderLines = []): string {
  const _meta = {
    [META_PROTOCOL_VERSION]: "2026-07-28",
    [META_CLIENT_INFO]: { name: "raw", version: "1" },
    [META_CLIENT_CAPABILITIES]: {},
  };
  const own = [["MCP-Protocol-Version", "2026-07-28"] as const, ["Mcp-Method", method] as const];
  const headers = [...Object.entries(JSON_HEADERS), ...own, ...more];
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  return toBytes(url, "POST", headers, JSON.stringify(message));
}

/** A page's side of MCP Apps (SEP-1865): JSON-RPC with the host, by messages between windows. */

export type Fields = { readonly [name: string]: unknown };

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Fields;
  readonly isError?: boolean;
}

/** What the host tells of itself; hosts may leave out all of it. */
export interface HostContext {
  readonly toolInfo?: {
    readonly tool: { readonly name: string; readonly title?: string; readonly inputSchema?: Fields };
  };
  readonly theme?: "light" | "dark";
  readonly styles?: { readonly variables?: { readonly [name: string]: string | undefined } };
  readonly displayMode?: string;
  readonly availableDisplayModes?: readonly string[];
  readonly containerDimensions?: { readonly height?: number; readonly maxHeight?: number };
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message?: string };
}

interface Waiting {
  readonly resolve: (result: Fields) => void;
  readonly reject: (reason: Error) => void;
}

const VERSION = "2026-01-26";
const METHOD_NOT_FOUND = -32601;
const REQUEST_MS = 30_000;
/** The host may ask a person before it calls a tool. */
const CALL_MS = 600_000;

export class Host {
  context: HostContext = {};
  #can: Fields = {};
  readonly #notified: (method: string, params: Fields) => void;
  readonly #waiting = new Map<number | string, Waiting>();
  #nextId = 1;

  constructor(notified: (method: string, params: Fields) => void) {
    this.#notified = notified;
    addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
      if (source === parent && typeof data === "object" && data !== null) this.#take(data);
    });
  }

  async open(name: string): Promise<void> {
    const opened = await this.#request("ui/initialize", {
      appInfo: { name, version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: VERSION,
    });
    this.#can = (opened["hostCapabilities"] ?? {}) as Fields;
    this.context = opened["hostContext"] ?? {};
    this.notify("ui/notifications/initialized", {});
  }

  /** Whether the host can do something: `serverTools`, `downloadFile`, `openLinks`, `updateModelContext`. */
  can(what: string): boolean {
    return this.#can[what] !== undefined;
  }

  callTool(name: string, args: Fields): Promise<ToolResult> {
    return this.#request("tools/call", { name, arguments: args }, CALL_MS);
  }

  /** Tells the model, with its next turn, what the person did here. */
  async tell(text: string, result: ToolResult = {}): Promise<void> {
    if (!this.can("updateModelContext")) return;
    await this.#request("ui/update-model-context", {
      content: [{ type: "text", text }, ...(result.content ?? [])],
    });
  }

  async save(name: string, mimeType: string, text: string): Promise<void> {
    const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType, text };
    const done = await this.#request("ui/download-file", { contents: [{ type: "resource", resource }] });
    if (done["isError"] === true) throw new Error("The host did not save the file.");
  }

  async openLink(url: string): Promise<void> {
    const done = await this.#request("ui/open-link", { url });
    if (done["isError"] === true) throw new Error("The host did not open it.");
  }

  async setDisplayMode(mode: string): Promise<void> {
    const { mode: set } = await this.#request("ui/request-display-mode", { mode });
    this.context = { ...this.context, displayMode: String(set) };
  }

  notify(method: string, params: Fields): void {
    parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
  }

  #request(method: string, params: Fields, timeoutMs: number = REQUEST_MS): Promise<Fields> {
    const id = this.#nextId++;
    let timer: ReturnType<typeof setTimeout> | undefined;
    return new Promise<Fields>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("The host did not answer.")), timeoutMs);
      this.#waiting.set(id, { resolve, reject });
      parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
    }).finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  #take({ id, method, params = {}, result, error }: Message): void {
    if (method !== undefined && id === undefined) return this.#notified(method, params);
    if (method !== undefined) {
      const isKnown = method === "ping" || method === "ui/resource-teardown";
      const answer = isKnown
        ? { result: {} }
        : { error: { code: METHOD_NOT_FOUND, message: "Unknown method" } };
      return parent.postMessage({ jsonrpc: "2.0", id, ...answer }, "*");
    }
    const waiting = this.#waiting.get(id ?? "");
    if (error) waiting?.reject(new Error(error.message ?? "The host refused."));
    else waiting?.resolve(result ?? {});
  }
}

import type { Fields, Revision } from "@suite/check/wires";

export interface Notified {
  readonly method: string;
  readonly params?: Fields | undefined;
}

export interface AskedByServer {
  readonly method: string;
  readonly params: Fields;
}

/** How an outsider answers what the server asks; tests change it as they go. */
export interface OutsiderAnswers {
  elicit: (params: Fields) => {
    action: "accept" | "decline" | "cancel";
    content?: Record<string, string | boolean>;
  };
  roots: { uri: string; name?: string }[];
  sample: (params: Fields) => string;
}

export interface OutsiderCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { progress: number; total?: number; message?: string }) => void;
  readonly meta?: Fields;
}

interface Page {
  readonly nextCursor?: string | undefined;
}

interface NamedEntry {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface OutsiderResult {
  readonly content: readonly Fields[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

type OutsiderTool = NamedEntry & { readonly inputSchema: object; readonly outputSchema?: object | undefined };
type Argument = NamedEntry & { readonly required?: boolean | undefined };

/** What both official clients can do under the same names, so that one test drives either. */
export interface OfficialClient {
  listTools(params?: { cursor?: string }): Promise<Page & { readonly tools: readonly OutsiderTool[] }>;
  listResources(params?: {
    cursor?: string;
  }): Promise<Page & { readonly resources: readonly (NamedEntry & { readonly uri: string })[] }>;
  listResourceTemplates(params?: {
    cursor?: string;
  }): Promise<
    Page & { readonly resourceTemplates: readonly (NamedEntry & { readonly uriTemplate: string })[] }
  >;
  listPrompts(params?: { cursor?: string }): Promise<
    Page & {
      readonly prompts: readonly (NamedEntry & { readonly arguments?: readonly Argument[] | undefined })[];
    }
  >;
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly Fields[] }>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  getPrompt(params: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ readonly description?: string | undefined; readonly messages: readonly Fields[] }>;
  complete(params: {
    ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
    context?: { arguments: Record<string, string> };
  }): Promise<{
    readonly completion: { readonly values: readonly string[]; readonly total?: number | undefined };
  }>;
  setLoggingLevel(level: "debug" | "warning" | "emergency"): Promise<unknown>;
  ping(): Promise<unknown>;
  sendRootsListChanged(): Promise<void>;
  getServerCapabilities(): Fields | undefined;
  getServerVersion():
    | { readonly name: string; readonly version: string; readonly title?: string | undefined }
    | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** A program to start, or the address of one that listens. */
export type ProgramOrUrl = readonly string[] | URL;

export const toProgram = ([command = "", ...args]: readonly string[]): {
  command: string;
  args: string[];
  stderr: "ignore";
} => ({ command, args, stderr: "ignore" });

/** A client that nobody here wrote, connected to a server. */
export interface Outsider {
  readonly revision: Revision;
  /** Of the program that it started; 0 over HTTP. */
  readonly pid: number;
  readonly sessionId: string | undefined;
  readonly client: OfficialClient;
  /** Every notification but those about progress, in order. */
  readonly notified: Notified[];
  /** Everything the server asked, in order. */
  readonly asked: AskedByServer[];
  readonly answers: OutsiderAnswers;
  readonly callTool: (name: string, args?: Fields, options?: OutsiderCallOptions) => Promise<OutsiderResult>;
  /** Hears of changes: the modern era has to ask for each, the legacy one only for resources. */
  readonly listen: (uris: readonly string[]) => Promise<{ close(): Promise<unknown> }>;
}

export const CLIENT_INFO = { name: "outsider", version: "1.0.0" };

export const createAnswers = (): OutsiderAnswers => ({
  elicit: () => ({ action: "decline" }),
  roots: [{ uri: "file:///one", name: "one" }],
  sample: () => "pong",
});

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

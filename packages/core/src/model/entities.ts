import type { Annotations, ContentBlock, Icon, MetaObject, ResourceContents, Role } from "./content.ts";

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

export type JsonObjectSchema = { readonly [keyword: string]: unknown };

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What lists say of everything in them. */
interface Listed {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: MetaObject;
}

export interface Tool extends Listed {
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema?: JsonObjectSchema;
  readonly annotations?: ToolAnnotations;
}

export interface Resource extends Listed {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
}

export interface ResourceTemplate extends Listed {
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt extends Listed {
  readonly arguments?: readonly PromptArgument[];
}

export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** How long a client may keep a result, and whether callers may share it. Sent in the modern era only. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

// Results are type aliases: unlike interfaces, they are assignable to any JSON object type.

/** Marks a structured result whose schema is not an object's: revisions before 2026-07-28 need it wrapped. */
export const STRUCTURED_IS_NOT_OBJECT: unique symbol = Symbol("structured content is not an object");

/** Tells the layers around a call where it failed. Never sent to clients. */
export const FAILURE: unique symbol = Symbol("where a call failed");

/** If the input was refused, nothing has run; if the output was, everything has. */
export type ToolFailure =
  | { readonly at: "input"; readonly issues: readonly Issue[] }
  | { readonly at: "run" | "output" };

/** What is wrong with a value, and where in it. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type CallToolResult = {
  readonly [STRUCTURED_IS_NOT_OBJECT]?: true;
  readonly [FAILURE]?: ToolFailure;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: MetaObject;
};

export type GetPromptResult = {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: MetaObject;
};

export type ReadResourceResult = {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: MetaObject;
};

export type CompleteResult = {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
};

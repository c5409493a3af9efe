import type { AudioContent, ContentBlock, ImageContent, MetaObject, Role, TextContent } from "./content.ts";
import type { Tool } from "./entities.ts";

export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: MetaObject;
}

export interface ToolUseContent {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: { readonly [key: string]: unknown };
  readonly _meta?: MetaObject;
}

export interface ToolResultContent {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: MetaObject;
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: MetaObject;
}

export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
  };
  readonly includeContext?: "none" | "thisServer" | "allServers";
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: { readonly [key: string]: unknown };
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
}

export interface CreateMessageResult extends SamplingMessage {
  readonly model: string;
  readonly stopReason?: string;
}

export type ElicitedValue = string | number | boolean | readonly string[];

export type ElicitParams =
  | {
      readonly mode?: "form";
      readonly message: string;
      readonly requestedSchema: { readonly [keyword: string]: unknown };
    }
  | { readonly mode: "url"; readonly message: string; readonly url: string; readonly elicitationId?: string };

export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: { readonly [field: string]: ElicitedValue };
}

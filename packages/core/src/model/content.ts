/**
 * The neutral model: one shape for all revisions, which is the newest revision's wire shape. The revision layer takes away
 * what an older peer does not know.
 */
export type Role = "user" | "assistant";

export type MetaObject = { readonly [key: string]: unknown };

export interface Annotations {
  readonly audience?: readonly Role[];
  readonly priority?: number;
  readonly lastModified?: string;
}

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

interface ContentBase {
  readonly annotations?: Annotations;
  readonly _meta?: MetaObject;
}

export interface TextContent extends ContentBase {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent extends ContentBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface AudioContent extends ContentBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: MetaObject;
}

export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** base64 */
  readonly blob: string;
  readonly _meta?: MetaObject;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface EmbeddedResource extends ContentBase {
  readonly type: "resource";
  readonly resource: ResourceContents;
}

export interface ResourceLink extends ContentBase {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

import type { ResourceContents } from "@suite/core";

export const JSON_TYPE = "application/json";

/** What is in a database comes from outside: whoever passes it on to a model should know. */
const UNTRUSTED = { "dev.suite/untrusted": true };

export const toJsonContents = (uri: string, data: unknown): ResourceContents =>
  toContents(uri, JSON_TYPE, JSON.stringify(data, undefined, 2));

export const toContents = (uri: string, mimeType: string, text: string): ResourceContents => ({
  uri,
  mimeType,
  text,
  _meta: UNTRUSTED,
});

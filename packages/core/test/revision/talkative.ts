import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Server,
} from "../../src/index.ts";
import { isFrom } from "../revisions.ts";

const icons = [
  { src: "https://example.com/i.png", mimeType: "image/png", sizes: ["any"], theme: "dark" as const },
];
const annotations = { audience: ["user" as const], priority: 0.5, lastModified: "2025-01-01T00:00:00Z" };
const meta = { "example.com/a": 1 };
const about = { title: "Title", description: "Text", icons, meta };

/** A server that says everything there is to say about everything it has. */
export const createTalkative = (): Server =>
  createServer({
    name: "talkative",
    version: "1",
    title: "Title",
    description: "Text",
    websiteUrl: "https://example.com",
    icons,
    instructions: "Read me",
    tools: [
      defineTool({ name: "t", ...about, effects: "read", output: { type: "object" }, run: () => ({}) }),
    ],
    resources: [
      defineResource({
        uri: "a://b",
        name: "r",
        ...about,
        annotations,
        mimeType: "x/y",
        size: 7,
        subscribe: true,
        read: () => "x",
      }),
    ],
    templates: [
      defineResourceTemplate({
        uriTemplate: "a://{x}",
        name: "m",
        ...about,
        annotations,
        mimeType: "x/y",
        read: () => "x",
      }),
    ],
    prompts: [
      definePrompt({
        name: "p",
        ...about,
        arguments: { a: { title: "A", description: "Text", required: true, complete: ["x"] } },
        render: () => "x",
      }),
    ],
  });

/** `field: revision`: the field appears from that revision on. */
export type Since = { readonly [field: string]: string };

export const ALWAYS = "2024-11-05";

/** The fields of this revision, sorted. */
export const fieldsIn = (revision: string, since: Since): string[] =>
  Object.keys(since)
    .filter((field) => isFrom(revision, since[field] ?? ""))
    .toSorted();

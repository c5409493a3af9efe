import { REVISIONS, type Revision } from "../wires/revisions.ts";

/** Which members an object may have; of a member with values of its own kind, what those may have. */
export interface Shape {
  readonly [member: string]: Member;
}
export interface Member {
  readonly revisions: readonly Revision[];
  readonly shape?: Shape;
}

const since = (first: Revision, shape?: Shape): Member => {
  const revisions = REVISIONS.slice(REVISIONS.indexOf(first));
  return shape ? { revisions, shape } : { revisions };
};
const always = (shape?: Shape): Member => since("2024-11-05", shape);
const only = (revision: Revision, shape: Shape = {}): Member => ({ revisions: [revision], shape });
const from03 = (shape?: Shape): Member => since("2025-03-26", shape);
const from06 = (shape?: Shape): Member => since("2025-06-18", shape);
const from11 = (shape?: Shape): Member => since("2025-11-25", shape);
const from26 = (shape?: Shape): Member => since("2026-07-28", shape);
const each = (member: Member, ...names: string[]): Shape =>
  Object.fromEntries(names.map((name) => [name, member]));
const all = (...names: string[]): Shape => each(always(), ...names);

const icons = from11(all("src", "mimeType", "sizes", "theme"));
const annotations = always({ ...all("audience", "priority"), lastModified: from06() });
const named: Shape = { ...all("name", "description"), title: from06(), icons, _meta: from06() };
const implementation: Shape = {
  ...all("name", "version"),
  title: from06(),
  icons,
  ...each(from11(), "description", "websiteUrl"),
};
const contents: Shape = { ...all("uri", "mimeType", "text", "blob"), _meta: from06() };
const resource: Shape = { ...named, ...all("uri", "mimeType", "size"), annotations };
const content: Shape = {
  ...all("type", "text", "data", "mimeType"),
  annotations,
  resource: always(contents),
  _meta: from06(),
  // A link's own, and those of a model's use of tools.
  ...each(from06(), "uri", "name", "title", "description", "size"),
  icons,
  ...each(from11(), "id", "input", "toolUseId", "content", "isError", "structuredContent"),
};
const messages = always({ ...all("role"), content: always(content), _meta: from11() });
const tool: Shape = {
  ...named,
  inputSchema: always(),
  outputSchema: from06(),
  annotations: from03(),
  execution: only("2025-11-25", all("taskSupport")),
};
const prompt: Shape = {
  ...named,
  arguments: always({ ...all("name", "description", "required"), title: from06() }),
};
const capabilities: Shape = {
  experimental: always(),
  logging: always({}),
  completions: from03({}),
  // Of 2026-07-28. Hosts declare and look for them in the revision before, too.
  extensions: from11(),
  tasks: { revisions: ["2025-11-25"] },
  tools: always(all("listChanged")),
  prompts: always(all("listChanged")),
  resources: always(all("subscribe", "listChanged")),
};

const elicitation: Shape = {
  ...each(from06(), "message", "requestedSchema", "_meta"),
  ...each(from11(), "mode", "url"),
  elicitationId: only("2025-11-25"),
};
const sampling: Shape = {
  messages,
  ...all("modelPreferences", "systemPrompt", "includeContext", "temperature", "maxTokens", "stopSequences"),
  ...all("metadata", "_meta"),
  tools: from11(tool),
  toolChoice: from11(),
};

/** Requests of the server, by method. */
export const QUESTIONS: { readonly [method: string]: Member } = {
  "roots/list": always(all("_meta")),
  "sampling/createMessage": always(sampling),
  "elicitation/create": from06(elicitation),
  ping: always(all("_meta")),
};

export const EMPTY_RESULT: Shape = { _meta: always(), resultType: from26() };
const cached: Shape = { ...EMPTY_RESULT, ttlMs: from26(), cacheScope: from26() };
const list: Shape = { ...cached, nextCursor: always() };
/** As an extension (SEP-2640) has it. */
const skill: Shape = {
  ...each(from11(), "uri", "frontmatter"),
  resources: from11(each(from11(), "uri", "digest", "size")),
};
const asking: Shape = { ...EMPTY_RESULT, inputRequests: from26(), requestState: from26() };

/** Results, by the method of the request. */
export const RESULTS: { readonly [method: string]: Shape } = {
  initialize: {
    ...EMPTY_RESULT,
    ...all("protocolVersion", "instructions"),
    serverInfo: always(implementation),
    capabilities: always(capabilities),
  },
  "server/discover": {
    ...cached,
    ...all("supportedVersions", "instructions"),
    capabilities: always(capabilities),
  },
  "tools/list": { ...list, tools: always(tool) },
  "tools/call": { ...asking, content: always(content), isError: always(), structuredContent: from06() },
  "resources/list": { ...list, resources: always(resource) },
  "resources/templates/list": {
    ...list,
    resourceTemplates: always({ ...named, ...all("uriTemplate", "mimeType"), annotations }),
  },
  "resources/read": { ...asking, ...cached, contents: always(contents) },
  "resources/directory/read": { ...EMPTY_RESULT, nextCursor: from11(), resources: from11(resource) },
  "skills/list": { ...list, skills: from11(skill) },
  "skills/get": { ...cached, skill: from11(skill) },
  "prompts/list": { ...list, prompts: always(prompt) },
  "prompts/get": { ...asking, description: always(), messages },
  "completion/complete": { ...EMPTY_RESULT, completion: always(all("values", "total", "hasMore")) },
};

/** Notifications of the server, by method. */
export const NOTIFICATIONS: { readonly [method: string]: Member } = {
  "notifications/message": always(all("level", "logger", "data", "_meta")),
  "notifications/progress": always({
    ...all("progressToken", "progress", "total", "_meta"),
    message: from03(),
  }),
  "notifications/cancelled": always(all("requestId", "reason", "_meta")),
  "notifications/resources/updated": always(all("uri", "_meta")),
  "notifications/resources/list_changed": always(all("_meta")),
  "notifications/tools/list_changed": always(all("_meta")),
  "notifications/prompts/list_changed": always(all("_meta")),
  "notifications/elicitation/complete": only("2025-11-25", all("elicitationId", "_meta")),
  "notifications/subscriptions/acknowledged": from26(all("notifications", "_meta")),
};

/** Kinds of content blocks. */
export const CONTENT_KINDS: Shape = {
  ...all("text", "image", "resource"),
  audio: from03(),
  resource_link: from06(),
  ...each(from11(), "tool_use", "tool_result"),
};

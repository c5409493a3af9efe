/** JSON values of every type, by the name of the type. */
export const VALUES: { readonly [type: string]: readonly unknown[] } = {
  null: [null],
  boolean: [true, false],
  number: [0, -1, 1.5, 1e308],
  string: ["", "x", "\u0000", "😀"],
  array: [[], [null], [{}]],
  object: [{}, { type: "object" }, { length: 3 }],
};

export interface FieldOf {
  /** The way to the field, from the params. */
  readonly path: string;
  /** The types that the protocol allows there; any other must be refused. */
  readonly types: readonly string[];
}

export interface MethodCase {
  readonly method: string;
  /** Params that are right. */
  readonly params: { readonly [name: string]: unknown };
  readonly fields: readonly FieldOf[];
  /** Whether params may be missing altogether. */
  readonly needsParams: boolean;
}

const list = (method: string): MethodCase => ({
  method,
  params: {},
  // Hosts written in other languages send null for "no cursor".
  fields: [{ path: "cursor", types: ["string", "null"] }],
  needsParams: false,
});

const uri = (method: string): MethodCase => ({
  method,
  params: { uri: "note:///welcome" },
  fields: [{ path: "uri", types: ["string"] }],
  needsParams: true,
});

/** Every method that both eras have. */
const SHARED: readonly MethodCase[] = [
  list("tools/list"),
  list("resources/list"),
  list("resources/templates/list"),
  list("prompts/list"),
  uri("resources/read"),
  {
    method: "tools/call",
    params: { name: "no_such_tool", arguments: {} },
    fields: [
      { path: "name", types: ["string"] },
      { path: "arguments", types: ["object", "null"] },
    ],
    needsParams: true,
  },
  {
    method: "prompts/get",
    params: { name: "no_such_prompt", arguments: {} },
    fields: [
      { path: "name", types: ["string"] },
      { path: "arguments", types: ["object", "null"] },
    ],
    needsParams: true,
  },
  {
    method: "completion/complete",
    params: {
      ref: { type: "ref/prompt", name: "p" },
      argument: { name: "a", value: "" },
      context: { arguments: {} },
    },
    fields: [
      { path: "ref", types: [] },
      { path: "ref.type", types: [] },
      { path: "ref.name", types: ["string"] },
      { path: "argument", types: [] },
      { path: "argument.name", types: ["string"] },
      { path: "argument.value", types: ["string"] },
    ],
    needsParams: true,
  },
];

export const LEGACY_METHODS: readonly MethodCase[] = [
  ...SHARED,
  uri("resources/subscribe"),
  uri("resources/unsubscribe"),
  {
    method: "logging/setLevel",
    params: { level: "info" },
    fields: [{ path: "level", types: [] }],
    needsParams: true,
  },
];

export const MODERN_METHODS: readonly MethodCase[] = [
  ...SHARED,
  { method: "server/discover", params: {}, fields: [], needsParams: false },
  {
    method: "subscriptions/listen",
    params: { notifications: {} },
    fields: [
      { path: "notifications", types: ["object"] },
      { path: "notifications.resourceSubscriptions", types: ["array"] },
    ],
    needsParams: true,
  },
];

/** Members of `_meta` that the modern era reads on every request. */
export const META_FIELDS: readonly FieldOf[] = [
  { path: "_meta.progressToken", types: ["string", "number"] },
  { path: "_meta.io.modelcontextprotocol/protocolVersion", types: ["string"] },
  { path: "_meta.io.modelcontextprotocol/clientCapabilities", types: ["object"] },
  { path: "_meta.io.modelcontextprotocol/clientInfo", types: [] },
  { path: "_meta.io.modelcontextprotocol/logLevel", types: [] },
];

/** A copy of `params` with one field replaced. Only the first dot parts names: keys of `_meta` have dots of their own. */
export function withField(params: object, path: string, value: unknown): Record<string, unknown> {
  const dot = path.indexOf(".");
  if (dot === -1) return { ...params, [path]: value };
  const head = path.slice(0, dot);
  const inner = (params as Record<string, object>)[head] ?? {};
  return { ...params, [head]: { ...inner, [path.slice(dot + 1)]: value } };
}

export const wrongValues = ({ types }: FieldOf): readonly unknown[] =>
  Object.entries(VALUES).flatMap(([type, values]) => (types.includes(type) ? [] : values));

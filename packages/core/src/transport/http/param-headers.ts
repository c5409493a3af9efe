import { isObject, type Params } from "../../jsonrpc/message.ts";

/** A tool argument that travels in a header as well, so that proxies can route by it (tools#x-mcp-header). */
export interface ParamHeader {
  /** In lower case, as it stands in the request. */
  readonly header: string;
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

const MARK = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
/** Keywords whose members are names that an author chose, with a schema behind each. */
const NAME_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
/** Deeper than any real input schema. */
const DEEPEST = 200;

/** The annotated arguments of a schema, or a sentence that says what is wrong with one of them. */
export function readParamHeaders(inputSchema: Params): readonly ParamHeader[] | string {
  const found: ParamHeader[] = [];
  const problem = readSchema(inputSchema, [], true, found);
  if (problem !== undefined) return problem;
  const names = new Set(found.map(({ header }) => header));
  return names.size < found.length ? `two arguments share one ${MARK} name` : found;
}

/** `isArgument`: nothing but `properties` led here, so a call can have a value at this very path. */
function readSchema(
  schema: unknown,
  path: readonly string[],
  isArgument: boolean,
  found: ParamHeader[],
): string | undefined {
  if (path.length > DEEPEST) return "its schema is nested too deeply";
  if (Array.isArray(schema)) {
    return first(schema, (item, at) => readSchema(item, [...path, String(at)], false, found));
  }
  if (!isObject(schema)) return undefined;
  if (schema[MARK] !== undefined) {
    const header = isArgument && path.length > 0 ? readMark(schema, path) : unreachable(path);
    if (typeof header === "string") return header;
    found.push(header);
  }
  return first(Object.entries(schema), ([keyword, value]) => {
    if (VALUES.has(keyword)) return undefined;
    if (!NAME_MAPS.has(keyword) || !isObject(value)) {
      return readSchema(value, [...path, keyword], false, found);
    }
    const isReached = isArgument && keyword === "properties";
    return first(Object.entries(value), ([name, inner]) =>
      readSchema(inner, [...path, name], isReached, found),
    );
  });
}

function readMark({ [MARK]: mark, type }: Params, path: readonly string[]): ParamHeader | string {
  if (typeof mark !== "string" || !TOKEN.test(mark))
    return `${MARK} of ${path.join(".")} is not a header name`;
  if (!TYPES.has(type)) return `${MARK} of ${path.join(".")} needs a string, an integer or a boolean`;
  return { header: `mcp-param-${mark.toLowerCase()}`, path, type: type as ParamHeader["type"] };
}

const unreachable = (path: readonly string[]): string =>
  `${MARK} is only allowed on arguments under properties, not at ${path.join(".") || "the root"}`;

/** The first problem that one of the items has. */
function first<T>(
  items: readonly T[],
  find: (item: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const problem = find(item, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The value at exactly this path; undefined where there is none. */
export function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

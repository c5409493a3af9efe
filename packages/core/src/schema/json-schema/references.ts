import { isObject } from "../../jsonrpc/message.ts";
import { cut } from "./issue.ts";
import { type KeywordShape, parseDialect, type SchemaDialect, shapeOf, toKeywords } from "./keywords.ts";
import { type JsonObject, type JsonSchema, type Keywords, type Limits, SchemaError } from "./schema.ts";

// Declared here because the package compiles without any platform's types; every runtime has it.
declare const URL: new (reference: string, base: string) => { readonly href: string };

/** A schema with an identity of its own: the document, or an embedded `$id`. */
export interface SchemaResource {
  readonly base: string;
  readonly dialect: SchemaDialect;
  readonly root: JsonObject;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

export interface SchemaNode {
  readonly keywords: Keywords;
  readonly resource: SchemaResource;
  readonly pointer: string;
  readonly level: number;
  /** What `$ref` and `$dynamicRef` lead to, before any dynamic scope. */
  target?: SchemaNode | boolean;
  dynamicTarget?: SchemaNode | boolean;
  /** Set where `$dynamicRef` names a `$dynamicAnchor`, and so may lead elsewhere at run time. */
  dynamicName?: string;
}

export interface SchemaIndex {
  readonly nodes: Map<object, SchemaNode>;
  readonly resources: Map<string, SchemaResource>;
  readonly limits: Limits;
  /** Every node in the order found; references are resolved once all names are known. */
  readonly found: SchemaNode[];
  hasDynamicReferences: boolean;
}

const NO_BASE = "schema:///";

export function indexSchema(schema: JsonSchema, limits: Limits): SchemaIndex {
  const index: SchemaIndex = {
    nodes: new Map(),
    resources: new Map(),
    limits,
    found: [],
    hasDynamicReferences: false,
  };
  scan(index, schema, undefined, "", 0);
  // Grows while it is iterated: a pointer may lead to a place that no keyword marks as a schema.
  for (const node of index.found) resolveReferences(index, node);
  return index;
}

function scan(
  index: SchemaIndex,
  schema: unknown,
  parent: SchemaResource | undefined,
  pointer: string,
  level: number,
): void {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) throw new SchemaError("a schema must be an object or a boolean", pointer);
  const { limits, found } = index;
  if (found.length >= limits.subschemas)
    throw new SchemaError(`more than ${limits.subschemas} subschemas`, pointer);
  if (level > limits.nesting)
    throw new SchemaError(`nested more than ${limits.nesting} levels deep`, pointer);
  const resource = toResource(index, schema, parent, pointer);
  const node: SchemaNode = { keywords: toKeywords(schema, resource.dialect), resource, pointer, level };
  index.nodes.set(schema, node);
  found.push(node);
  addAnchors(schema, node);
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    const shape = value === undefined ? undefined : shapeOf(keyword, resource.dialect);
    if (shape === undefined) continue;
    const place = `${pointer}/${keyword}`;
    if (!shape.accepts(value)) throw new SchemaError(`${keyword} must be ${shape.expected}`, place);
    for (const [step, child] of subschemas(shape, value))
      scan(index, child, resource, place + step, level + 1);
  }
}

function subschemas({ holds }: KeywordShape, value: unknown): (readonly [step: string, schema: unknown])[] {
  if (holds === undefined) return [];
  if (holds === "map") {
    // The arrays in draft-07 `dependencies` name properties.
    const entries = Object.entries(value as JsonObject).filter(([, child]) => !isStringList(child));
    return entries.map(([name, child]) => [`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, child]);
  }
  return Array.isArray(value) ? value.map((child, at) => [`/${at}`, child]) : [["", value]];
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function toResource(
  index: SchemaIndex,
  schema: JsonObject,
  parent: SchemaResource | undefined,
  pointer: string,
): SchemaResource {
  const { $schema, $id } = schema;
  const isIgnored = parent?.dialect === "draft-07" && typeof schema["$ref"] === "string";
  const [path, fragment] = typeof $id === "string" && !isIgnored ? splitFragment($id) : ["", ""];
  if (parent !== undefined && path === "") return parent;
  const dialect =
    typeof $schema === "string" ? parseDialect($schema, pointer) : (parent?.dialect ?? "2020-12");
  if (dialect === "2020-12" && fragment !== "")
    throw new SchemaError("$id must not have a fragment", `${pointer}/$id`);
  const base = resolveUri(path, parent?.base ?? NO_BASE, `${pointer}/$id`);
  const resource: SchemaResource = {
    base,
    dialect,
    root: schema,
    anchors: new Map(),
    dynamicAnchors: new Map(),
  };
  index.resources.set(base, resource);
  return resource;
}

function addAnchors(schema: JsonObject, node: SchemaNode): void {
  const { anchors, dynamicAnchors, dialect } = node.resource;
  const { $id, $anchor, $dynamicAnchor } = schema;
  if (dialect === "draft-07") {
    if (typeof $id === "string" && schema["$ref"] === undefined) anchors.set(splitFragment($id)[1], node);
    return;
  }
  if (typeof $anchor === "string") anchors.set($anchor, node);
  if (typeof $dynamicAnchor !== "string") return;
  anchors.set($dynamicAnchor, node);
  dynamicAnchors.set($dynamicAnchor, node);
}

function resolveReferences(index: SchemaIndex, node: SchemaNode): void {
  const { $ref, $dynamicRef } = node.keywords;
  if ($ref !== undefined) node.target = resolveReference(index, node, $ref, `${node.pointer}/$ref`);
  if ($dynamicRef === undefined) return;
  const target = resolveReference(index, node, $dynamicRef, `${node.pointer}/$dynamicRef`);
  node.dynamicTarget = target;
  const name = splitFragment($dynamicRef)[1];
  if (typeof target === "boolean" || target.resource.dynamicAnchors.get(name) !== target) return;
  node.dynamicName = name;
  index.hasDynamicReferences = true;
}

function resolveReference(
  index: SchemaIndex,
  node: SchemaNode,
  reference: string,
  place: string,
): SchemaNode | boolean {
  const [path, encoded] = splitFragment(reference);
  const { base } = node.resource;
  const resource = path === "" ? node.resource : index.resources.get(resolveUri(path, base, place));
  const shown = JSON.stringify(cut(reference, 100));
  if (resource === undefined) {
    throw new SchemaError(`${shown} is not part of this schema, and other documents are never loaded`, place);
  }
  const fragment = decodeFragment(encoded, place);
  if (fragment === "") return index.nodes.get(resource.root)!;
  const target = fragment.startsWith("/")
    ? follow(index, resource, fragment)
    : resource.anchors.get(fragment);
  if (target === undefined) throw new SchemaError(`${shown} does not resolve to a schema`, place);
  return target;
}

function follow(
  index: SchemaIndex,
  resource: SchemaResource,
  pointer: string,
): SchemaNode | boolean | undefined {
  let current: unknown = resource.root;
  let owner = index.nodes.get(resource.root)!;
  let place = owner.pointer;
  for (const token of pointer.slice(1).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as JsonObject)[name];
    place += `/${token}`;
    owner = index.nodes.get(current as object) ?? owner;
  }
  if (typeof current === "boolean") return current;
  if (!index.nodes.has(current as object)) scan(index, current, owner.resource, place, owner.level + 1);
  return index.nodes.get(current as object);
}

function splitFragment(reference: string): [path: string, fragment: string] {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, ""] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

function decodeFragment(fragment: string, place: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (cause) {
    throw new SchemaError("malformed percent-encoding", place, { cause });
  }
}

function resolveUri(reference: string, base: string, place: string): string {
  try {
    return new URL(reference, base).href;
  } catch (cause) {
    throw new SchemaError("not a valid URI reference", place, { cause });
  }
}

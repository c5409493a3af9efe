import { parseUriTemplate, type UriTemplate } from "@suite/core/client";

import type { Fields } from "../wires/message.ts";
import { isModern } from "../wires/revisions.ts";
import { ask, type Check, codeOf, firstLineOf, type Note, type Visit } from "./visit.ts";
import { suggest } from "./completion.ts";
import { listOf } from "./lists.ts";

/** Enough to see how it reads. */
const MOST_READ = 20;

async function read(visit: Visit, uri: string, note: Note): Promise<void> {
  const { result, error } = await ask(visit, "resources/read", { uri });
  const contents = (result?.["contents"] ?? []) as readonly Fields[];
  // Nothing in the specification keeps a server from offering what it cannot read at the moment.
  if (error) note("resources/readable", `${uri} cannot be read: ${error.message}`);
  else if (contents.some(({ text, blob }) => (text === undefined) === (blob === undefined)))
    note("resources/contents", `${uri} has contents that are not one of text and blob`);
}

export const resources: Check = {
  name: "resources",
  async run(visit, note) {
    if (visit.capabilities["resources"] === undefined) return "absent";
    const listed = (await listOf(visit, "resources/list")).map(({ uri }) => String(uri));
    for (const uri of [...listed.slice(0, MOST_READ), ...(visit.known?.uris ?? [])])
      await read(visit, uri, note);
    const expected = isModern(visit.revision) ? "-32602" : "-32002";
    const code = codeOf(await ask(visit, "resources/read", { uri: "no-such-scheme:nothing" }));
    const rule = isModern(visit.revision) ? "is-invalid-params" : "code";
    if (code !== expected)
      note(`resources/not-found-${rule}`, `A resource that is not there gets ${code}, and not ${expected}`);
    return undefined;
  },
};

/** Or what is wrong with it. */
function parse(uriTemplate: string): UriTemplate | string {
  try {
    return parseUriTemplate(uriTemplate);
  } catch (error) {
    return firstLineOf(error);
  }
}

/** What results have named, in links or in words. */
const urisIn = (results: readonly unknown[]): readonly string[] =>
  [...JSON.stringify(results).matchAll(/(?<![a-z])[a-z]{1,32}:\/\/[^\s"'`\\<>()]+/g)].map(([uri]) => uri);

/** What the server has named so far. */
async function findKnown(visit: Visit): Promise<readonly string[]> {
  const listed = (await listOf(visit, "resources/list")).map(({ uri }) => String(uri));
  return [...(visit.known?.uris ?? []), ...listed, ...urisIn(visit.results)];
}

/** A URI of the template: one that is known, or of what the server suggests for its variables. */
async function exampleOf(
  visit: Visit,
  template: UriTemplate,
  known: readonly string[],
): Promise<string | undefined> {
  const fitting = known.find((uri) => template.match(uri) !== undefined);
  if (fitting !== undefined) return fitting;
  const ref = { type: "ref/resource", uri: template.source };
  const values: Record<string, string> = {};
  for (const name of template.variables) {
    const [value] = await suggest(visit, ref, name, values);
    if (value !== undefined) values[name] = value;
  }
  const suggested = template.expand(values);
  return template.match(suggested) ? suggested : undefined;
}

export const templates: Check = {
  name: "resource templates",
  async run(visit, note) {
    if (visit.capabilities["resources"] === undefined) return "absent";
    const listed = await listOf(visit, "resources/templates/list");
    const known = await findKnown(visit);
    for (const { name, uriTemplate } of listed) {
      const template = parse(String(uriTemplate));
      if (typeof template === "string") {
        note("resources/template-syntax", `The template ${String(name)} is not one of RFC 6570: ${template}`);
        continue;
      }
      if (template.variables.length === 0)
        note("resources/template-variables", `The template ${String(name)} has no variable`);
      const example = await exampleOf(visit, template, known);
      if (example !== undefined) await read(visit, example, note);
      else if (visit.known) note("known", `Nothing of the template ${template.source} is ever read`);
    }
    return listed.length === 0 ? "absent" : undefined;
  },
};

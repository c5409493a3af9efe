import { listAll } from "../../support/calls.ts";
import type { Fields } from "../../support/message.ts";
import { isModern } from "../../support/revisions.ts";
import { ask, type BedCheck, codeOf } from "../visit.ts";

/** Enough to see how it reads. */
const MOST_READ = 20;

export const resources: BedCheck = {
  capability: "resources",
  async run(visit, { find, advise }) {
    if (visit.capabilities["resources"] === undefined) return "absent";
    const listed = (await listAll(visit.line, "resources/list")).map(({ uri }) => String(uri));
    for (const uri of [...listed.slice(0, MOST_READ), ...(visit.stage?.uris ?? [])]) {
      const { result, error } = await ask(visit, "resources/read", { uri });
      const contents = (result?.["contents"] ?? []) as readonly Fields[];
      if (error) find(`${uri} cannot be read: ${error.message}`);
      else if (contents.some(({ text, blob }) => (text === undefined) === (blob === undefined)))
        find(`${uri} has contents that are not one of text and blob`);
    }
    const expected = isModern(visit.revision) ? "-32602" : "-32002";
    const code = codeOf(await ask(visit, "resources/read", { uri: "no-such-scheme:nothing" }));
    if (code.startsWith("a ")) find(`A resource that is not there gets ${code}`);
    else if (code !== expected) advise(`A resource that is not there gets ${code}, and not ${expected}`);
    return undefined;
  },
};

export const templates: BedCheck = {
  capability: "resource templates",
  async run({ line, capabilities }, { find }) {
    if (capabilities["resources"] === undefined) return "absent";
    const listed = await listAll(line, "resources/templates/list");
    for (const { name, uriTemplate } of listed)
      if (!/\{[^{}]+\}/.test(String(uriTemplate))) find(`The template ${String(name)} has no variable`);
    return listed.length === 0 ? "absent" : undefined;
  },
};

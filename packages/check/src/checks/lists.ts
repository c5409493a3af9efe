import { itemsOf, listAll, listPages, LISTS } from "../wires/calls.ts";
import type { Fields } from "../wires/message.ts";
import { type Check, codeOf, firstLineOf, type Note, type Visit } from "./visit.ts";

const repeated = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.filter((name, at) => names.indexOf(name) !== at));

const keyOf = ({ uri, uriTemplate, name }: Fields): string => String(uri ?? uriTemplate ?? name);

const areaOf = (method: string): string => method.split("/")[0] ?? "";

export const lists: Check = {
  name: "lists and pages",
  async run(visit, note) {
    const { wire, capabilities } = visit;
    const isOffered = (method: string): boolean => capabilities[areaOf(method)] !== undefined;
    const offered = Object.keys(LISTS).filter(isOffered);
    for (const method of offered) {
      const pages = await listPages(wire, method).catch((error: unknown) => {
        // Nothing says that whoever has resources has templates.
        if (method !== "resources/templates/list" || !String(error).includes("-32601"))
          note("lifecycle/declared-is-there", `${areaOf(method)} is declared: ${firstLineOf(error)}`);
      });
      if (!pages) continue;
      const keys = pages.flatMap((page) => itemsOf(page, method).map(keyOf));
      if (pages.at(-1)?.["nextCursor"] !== undefined)
        note("pagination/ends", `${method} comes to no end: its cursors lead on after ${pages.length} pages`);
      else
        for (const key of repeated(keys))
          note(method === "tools/list" ? "tools/name-unique" : "lists/unique", `${method} has ${key} twice`);
      const code = codeOf(await wire.request(method, { cursor: "no such cursor" }));
      if (code !== "-32602")
        note(
          "pagination/invalid-cursor",
          `${method} answers an invalid cursor with ${code} instead of -32602`,
        );
    }
    for (const method of Object.keys(LISTS).filter((one) => !isOffered(one)))
      await noteUndeclared(visit, method, note);
    return offered.length === 0 ? "absent" : undefined;
  },
};

/** For the other checks: a list that fails was noted, and is as good as empty. */
export const listOf = async <T = Fields>({ wire }: Visit, method: string): Promise<readonly T[]> =>
  listAll<T>(wire, method).catch(() => []);

/** What is there, and clients do not look for. */
async function noteUndeclared({ wire }: Visit, method: string, note: Note): Promise<void> {
  const { result } = await wire.request(method);
  if (result && itemsOf(result, method).length > 0)
    note(
      "lifecycle/only-negotiated-capabilities",
      `${method} is answered, and the capability ${areaOf(method)} is not declared`,
    );
}

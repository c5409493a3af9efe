import { listPages, LISTS } from "../../support/calls.ts";
import type { Fields } from "../../support/message.ts";
import { type BedCheck, codeOf } from "../visit.ts";

const repeated = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.filter((name, at) => names.indexOf(name) !== at));

const keyOf = ({ uri, uriTemplate, name }: Fields): string => String(uri ?? uriTemplate ?? name);

export const lists: BedCheck = {
  capability: "lists and pages",
  async run({ wire, capabilities }, { advise }) {
    const offered = Object.entries(LISTS).filter(
      ([method]) => capabilities[method.split("/")[0] ?? ""] !== undefined,
    );
    for (const [method, member] of offered) {
      const pages = await listPages(wire, method);
      const keys = pages.flatMap((page) => (page[member] as Fields[]).map(keyOf));
      for (const key of repeated(keys)) advise(`${method} has ${key} twice`);
      const code = codeOf(await wire.request(method, { cursor: "no such cursor" }));
      if (code !== "-32602") advise(`${method} answers an invalid cursor with ${code} instead of -32602`);
    }
    return offered.length === 0 ? "absent" : undefined;
  },
};

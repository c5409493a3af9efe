import { Fault } from "@suite/server-kit/domain";

/** The groups of one match; 0 is all of it. */
export type GroupOf = (group: number) => string | null;

export interface Groups {
  readonly count: number;
  readonly names: { readonly [name: string]: number };
}

const PLACEHOLDER = /\$(?:(\$)|(&)|(\d{1,2})|\{(\w+)\})/g;

/** Reads `$1`, `${name}`, `$&` and `$$` once; returns what it makes of a match. */
export function parseTemplate(template: string, groups: Groups): (groupOf: GroupOf) => string {
  const parts: (string | number)[] = [];
  let done = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, dollar, all, digits, name] = match;
    parts.push(template.slice(done, match.index));
    if (dollar !== undefined) parts.push("$");
    else parts.push(all === undefined ? toGroup(digits ?? name ?? "", groups) : 0);
    done = match.index + whole.length;
  }
  parts.push(template.slice(done));
  return (groupOf) => parts.map((part) => (typeof part === "string" ? part : (groupOf(part) ?? ""))).join("");
}

function toGroup(written: string, { count, names }: Groups): number {
  const group = /^\d+$/.test(written) ? Number(written) : names[written];
  if (group !== undefined && group <= count) return group;
  throw new Fault(
    "invalid_input",
    `The replacement names the group ${JSON.stringify(written)}, which the pattern has not`,
    {
      hint: `The pattern has ${count} groups. Write $$ for a dollar sign.`,
    },
  );
}

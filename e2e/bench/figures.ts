import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../support/root.ts";

const HEAD = `# Figures

Written by \`npm run bench -- all --save\`, or a section at a time by its own command: each says when and where it was measured.
Medians; in brackets, the ratio to the first contender. [Measurements](measured.md) tells what is compared, and why.
`;

/** One suite's figures, as the page shows them. */
export interface Section {
  readonly suite: string;
  readonly command: string;
  readonly machine: string;
  readonly report: string;
}

/** The page with this section made anew; the others stay, in the order of `suites`. */
export function withSection(page: string, section: Section, suites: readonly string[]): string {
  const { suite, command, machine, report } = section;
  const text = `## ${suite}\n\n\`${command}\`: ${machine}\n\n${report}\n`;
  const kept = page.split(/^(?=## )/m).slice(1);
  const sections = new Map(kept.map((each) => [/^## (\S+)/.exec(each)?.[1] ?? "", `${each.trimEnd()}\n`]));
  sections.set(suite, text);
  return [HEAD, ...suites.flatMap((name) => sections.get(name) ?? [])].join("\n");
}

export function saveSection(section: Section, suites: readonly string[]): void {
  const file = inRoot("docs/figures.md");
  const page = existsSync(file) ? readFileSync(file, "utf8") : "";
  writeFileSync(file, withSection(page, section, suites));
  spawnSync(inRoot("node_modules/.bin/oxfmt"), [file], { stdio: "ignore" });
}

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareRevisions, notes } from "@suite/tour";
import { CONTRACT_ROWS } from "../contract/rows.ts";
import { ROOT } from "./documents.ts";

/** The five, in the order in which documents name them. */
export const SERVERS: readonly (readonly [name: string, purpose: string])[] = [
  ["filesystem", "files in the directories you name, with undo"],
  ["git", "repositories, without running anything they contain"],
  ["sqlite", "databases, with queries that can always be stopped"],
  ["fetch", "web pages and feeds as safe, bounded text"],
  ["github", "issues, pull requests and code, as far as you allow"],
];
const MOST_NAMED = 8;

const EFFECTS: { readonly [effects: string]: string } = {
  read: "reads",
  write: "writes",
  destructive: "may destroy",
};

interface BuiltTool {
  readonly name: string;
  readonly effects: string;
  readonly group?: string;
  readonly listed: { readonly description: string };
}

/** What the build wrote for the start of a server. */
const toolsOf = (server: string): readonly BuiltTool[] =>
  JSON.parse(readFileSync(join(ROOT, "servers", server, "dist/tools.json"), "utf8")) as BuiltTool[];

const toTable = (rows: readonly (readonly string[])[]): string => {
  const [header = [], ...rest] = rows.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  return [header, header.map(() => "---"), ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};

/** In Markdown, a star or a tag in a description would mean something. */
const escape = (text: string): string => text.replaceAll(/[*<>[\]_\\]/g, "\\$&");

function renderTools(server: string): string {
  const tools = toolsOf(server);
  const isGrouped = new Set(tools.map(({ group }) => group)).size > 2;
  return toTable([
    ["tool", "effect", ...(isGrouped ? ["group"] : []), "what it does"],
    ...tools.map(({ name, effects, group = "", listed }) => [
      `\`${name}\``,
      EFFECTS[effects] ?? effects,
      ...(isGrouped ? [`\`${group}\``] : []),
      escape(listed.description),
    ]),
  ]);
}

function renderServers(): string {
  const rows = SERVERS.map(([name, purpose]) => {
    const names = toolsOf(name).map((tool) => `\`${tool.name}\``);
    const more = names.length - MOST_NAMED;
    const link = `servers/${name}/README.md`;
    const rest = more > 0 ? [`[${more} more](${link}#tools)`] : [];
    return [
      `[\`@suite/server-${name}\`](${link})`,
      purpose,
      [...names.slice(0, MOST_NAMED), ...rest].join(" "),
    ];
  });
  return toTable([["server", "for", "tools"], ...rows]);
}

/** What every server has is in the README of the kit. */
const SHARED = new Set(["Tools", "HTTP", "Authorization", "General", "Exit codes", "Examples"]);

/** The sections of a server's help that are its own. */
function renderOptions(server: string): string {
  const program = join(ROOT, "servers", server, "dist/main.js");
  const { stdout } = spawnSync(process.execPath, [program, "--help"], { encoding: "utf8" });
  const sections = stdout.split(/\n(?=\S)/).filter((section) => {
    const [, title] = /^(.+):\n/.exec(section) ?? [];
    return title !== undefined && !SHARED.has(title);
  });
  return `\`\`\`text\n${sections.join("\n").trimEnd()}\n\`\`\``;
}

/** As the tour finds them. The notes server touches no files. */
async function renderRevisions(): Promise<string> {
  const { revisions, rows } = await compareRevisions(notes, ROOT);
  return toTable([["", ...revisions], ...rows.map(({ label, cells }) => [label, ...cells])]);
}

/** One part of the contract with agents, with the tests of each row. */
function renderContract(part: string): string {
  const rows = CONTRACT_ROWS[part] ?? [];
  const nameOf = (file: string): string =>
    file.replace(/^.*\/(?:e2e|test)\/|^e2e\//, "").replace(".test.ts", "");
  return toTable([
    ["challenge", "what every server does", "shown by"],
    ...rows.map(({ number, challenge, answer, shownBy }) => [
      `${number}. ${challenge}`,
      answer,
      [...new Set(shownBy.map((cited) => cited.split(" > ")[0] ?? ""))]
        .map((file) => `[${nameOf(file)}](../${file})`)
        .join(", "),
    ]),
  ]);
}

/** Rows of docs/figures.md: all of a SUITE, or with `SUITE:TEXT` those with this text. */
function renderFigures(about: string): string {
  const [suite = "", text = ""] = about.split(":");
  const page = readFileSync(join(ROOT, "docs/figures.md"), "utf8");
  const section = page.split(/^(?=## )/m).find((each) => each.startsWith(`## ${suite}\n`)) ?? "";
  const [, command, machine] = /^(`[^`]+`): (.+)$/m.exec(section) ?? [];
  // Where there is no reference, a table lacks its column.
  const tables = [...section.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table.split("\n").map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  );
  const columns = (tables[0]?.[0] ?? []).filter((name) => !name.endsWith("min - max"));
  const rows = tables.flatMap(([head = [], , ...lines]) =>
    lines
      .filter(([title]) => title?.includes(text))
      .map((cells) => columns.map((name) => (head.includes(name) ? (cells[head.indexOf(name)] ?? "") : "-"))),
  );
  if (rows.length === 0) throw new Error(`docs/figures.md has no row for ${about}`);
  return `${toTable([columns, ...rows])}\n\n${command}: ${machine}`;
}

const PARTS: { readonly [kind: string]: (about: string) => string | Promise<string> } = {
  revisions: renderRevisions,
  servers: renderServers,
  tools: renderTools,
  options: renderOptions,
  contract: renderContract,
  figures: renderFigures,
};

const PART = /^<!-- generated: (\S+)(?: (\S+))? -->\n[\s\S]*?^<!-- \/generated -->$/gm;

export const partsOf = (text: string): readonly string[] =>
  [...text.matchAll(PART)].map(([, kind = ""]) => kind);

/** A document with its generated parts made anew, formatted as the others are. */
export async function regenerate(path: string, text: string): Promise<string> {
  let made = text;
  for (const [part, kind = "", about = ""] of text.matchAll(PART)) {
    const render = PARTS[kind];
    if (render === undefined) throw new Error(`${path}: nothing generates "${kind}"`);
    const [opening = ""] = part.split("\n");
    const content = await render(about);
    made = made.replace(part, () => `${opening}\n\n${content}\n\n<!-- /generated -->`);
  }
  const formatter = join(ROOT, "node_modules/.bin/oxfmt");
  const { stdout, status, stderr } = spawnSync(formatter, [`--stdin-filepath=${path}`], {
    cwd: ROOT,
    encoding: "utf8",
    input: made,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

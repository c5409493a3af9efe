import { join } from "node:path";
import { filesystem, readHostConfig, runTour, Screen, sqlite } from "@suite/tour";
import { ROOT } from "./documents.ts";

const COLUMNS = 84;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 8;
const MARGIN = 16;

/** By the codes that the screen uses. */
const STYLES: { readonly [code: string]: string } = {
  1: 'font-weight="bold" fill="#ffffff"',
  2: 'fill="#6e7681"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  36: 'fill="#79c0ff"',
};

const BOLD = "\u001B[1m";
const TITLE = `\n\n${BOLD}`;

const toXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** One line of a terminal, with its colours. */
const toSpans = (line: string): string =>
  line
    .replace(/^ +/, (indent) => "\u00A0".repeat(indent.length))
    .split("\u001B[")
    .map((part, at) => {
      const [, code = "", text = ""] = at === 0 ? ["", "", part] : (/^(\d+)m([\s\S]*)$/.exec(part) ?? []);
      return text === "" ? "" : `<tspan ${STYLES[code] ?? ""}>${toXml(text)}</tspan>`;
    })
    .join("");

/** A picture of the first two stops of the tour, as a terminal shows them. */
export async function drawTour(): Promise<string> {
  let written = "";
  const terminal = { isTTY: true, columns: COLUMNS, write: (text: string) => (written += text) };
  await runTour([filesystem, sqlite], new Screen(terminal, { env: {}, brief: true }), false);
  const [, ...screens] = withoutChance(written).split(TITLE);
  const lines = screens
    .slice(0, 2)
    .flatMap((screen) => ["", ...(BOLD + screen).split("\n")])
    .slice(1);
  return drawTerminal(lines, "The tour of the suite in a terminal");
}

/** A picture of what a server prints for a host. */
export function drawHostConfig(): string {
  const args = ["--print-host-config", "claude-desktop"];
  const program = join(ROOT, "servers/filesystem/dist/main.js");
  const { title, where, text } = readHostConfig(program, "claude-desktop", ["/path/to/your/project"], {});
  const shown = text.replace(JSON.stringify(program), '"…/servers/filesystem/dist/main.js"');
  const command = `$ ${BOLD}node servers/filesystem/dist/main.js ${args.join(" ")} .`;
  const place = `\u001B[36m${title}: ${where}`;
  const config = shown.replace(JSON.stringify(process.execPath), '"node"').trimEnd().split("\n");
  return drawTerminal(
    [command, place, "", ...config],
    "A server prints its configuration for Claude Desktop",
  );
}

function drawTerminal(lines: readonly string[], label: string): string {
  const width = COLUMNS * CHARACTER_WIDTH + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.map(
    (line, at) => `<text x="${MARGIN}" y="${MARGIN + (at + 1) * LINE_HEIGHT - 5}">${toSpans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">
${texts.join("\n")}
</g>
</svg>
`;
}

/** Ids and times are drawn anew in every run; a picture has others of the same length, and is the same every time. */
function withoutChance(text: string): string {
  const ids = [...new Set(text.match(/\b[0-9a-z]{9}-[0-9a-f]{6}\b/g))];
  return ids
    .reduce((made, id, at) => made.replaceAll(id, `0mwia2vq${at}-47eed${at}`), text)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-15T09:41:00.000Z");
}

import manifest from "../package.json" with { type: "json" };
import type { ProjectName } from "./names.ts";

/** The address of the documents that the READMEs of the suite link to. */
const SUITE = manifest.homepage.replace(/tree\/main\/.*$/, "blob/main/");
/** Sections that only make sense inside the suite. */
const LEFT_OUT = new Set(["Start", "Make it yours"]);

export interface ReadmeParts {
  readonly description: string;
  /** The module with the list of tools, from the folder of the project. */
  readonly tools: string;
  /** The README of the server it was made from. */
  readonly original: string;
}

export const toReadme = (
  { package: title, short }: ProjectName,
  { description, tools, original }: ReadmeParts,
): string => `# ${title}

${description}.

## Start

\`\`\`sh
npm install && npm run build && npm test
\`\`\`

\`npm start\` runs it over stdio, where it waits for a client; \`npm start -- --help\` lists its options,
\`npm start -- --http 3000\` serves HTTP. For a host such as Claude Desktop or Cursor, with the path of this folder:

\`\`\`json
{
  "mcpServers": {
    "${short}": { "command": "node", "args": ["/path/to/${short}/dist/main.js"] }
  }
}
\`\`\`

\`node dist/main.js --print-host-config claude-desktop\` prints it with the right path. It supports other hosts too: \`npm start -- --help\`
lists them.

## Make it yours

- \`src/introduction.ts\` says who the server is and what kinds of things it offers, \`${tools}\` has its tools, \`src/server.ts\`
  everything else, and \`src/main.ts\` runs it. The build lists the tools of the module that \`tools\` in \`package.json\` names, so
  that clients get the list before the server has loaded.
- Tools are declared with \`defineTool\`: [what their facts mean](${SUITE}packages/server-kit/README.md#the-contract-with-agents).
- Before you publish it: in \`package.json\`, replace \`YOUR-NAME\` with your name, write your own \`description\`, and remove
  \`private\`.
${keep(original)}`;

/** Keeps what the server offers and how it behaves; relative links become links to the suite. */
function keep(original: string): string {
  const [head = "", ...sections] = original.split(/^## /m);
  const table = head.split("\n").filter((line) => line.startsWith("|"));
  const offered = table.length > 0 ? [`What it offers\n\n${table.join("\n")}\n`] : [];
  return [...offered, ...sections]
    .filter((section) => !LEFT_OUT.has(section.slice(0, section.indexOf("\n"))))
    .map((section) => `\n## ${section.trimEnd()}\n`)
    .join("")
    .replaceAll("](../../", `](${SUITE}`)
    .replaceAll(/^<!-- .*generated.* -->\n\n?/gm, "");
}

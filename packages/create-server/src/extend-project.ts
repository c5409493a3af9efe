import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Template } from "./arguments.ts";
import { GITIGNORE, refuseUsed } from "./create-project.ts";
import type { ProjectName } from "./names.ts";

const TOOLS = ["@types/node", "typescript"];

/** Writes a project that extends a server instead of owning a copy of it. `templates` is the folder that the build made. */
export function extendProject(templates: string, server: Template, name: ProjectName, folder: string): void {
  refuseUsed(folder);
  const { devDependencies } = JSON.parse(readFileSync(join(templates, "notes/manifest.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const files: Readonly<Record<string, string>> = {
    "package.json": toManifest(name, server, devDependencies),
    "tsconfig.json": TSCONFIG,
    "src/main.ts": toMain(name, server),
    "src/count-words.ts": TOOL,
    "test/main.test.ts": toTest(server),
    "README.md": toReadme(name, server),
    ".gitignore": GITIGNORE,
  };
  for (const part of ["src", "test"]) mkdirSync(join(folder, part), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  cpSync(join(templates, "terms.txt"), join(folder, "LICENSE"));
}

function toManifest(
  { package: name, short }: ProjectName,
  server: Template,
  versions: Readonly<Record<string, string>>,
): string {
  // All packages of the suite have the same version.
  const kit = versions["@suite/server-kit"];
  const manifest = {
    name,
    version: "0.1.0",
    private: true,
    license: "MIT",
    type: "module",
    engines: { node: ">=20.19" },
    bin: { [short]: "./dist/src/main.js" },
    files: ["dist/src"],
    scripts: { build: "tsc", start: "node dist/src/main.js", test: "node --test dist/test/main.test.js" },
    dependencies: { "@suite/server-kit": kit, [`@suite/server-${server}`]: kit },
    devDependencies: Object.fromEntries(TOOLS.map((tool) => [tool, versions[tool]])),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "skipLibCheck": true,
    "rewriteRelativeImportExtensions": true,
    "types": ["node"],
    "rootDir": ".",
    "outDir": "dist"
  },
  "include": ["src", "test"]
}
`;

/** What the package exports. There is a global of the name fetch. */
const exportOf = (server: Template): string => (server === "fetch" ? "fetchServer" : server);

const toMain = ({ short }: ProjectName, server: Template): string => `#!/usr/bin/env node
import { ${exportOf(server)} } from "@suite/server-${server}";
import { extendServer } from "@suite/server-kit/extend";
import { runServer } from "@suite/server-kit/program";

import { countWords } from "./count-words.ts";

runServer(
  extendServer(${exportOf(server)}, {
    name: "${short}",
    version: "0.1.0",
    add: () => [countWords],
  }),
);
`;

const TOOL = `import { defineFor } from "@suite/server-kit";

/** It needs nothing of the server. One that does is defined for the server's state. */
const { defineTool } = defineFor<unknown>();

export const countWords = defineTool({
  name: "count_words",
  title: "Count words",
  description: "Counts the words of a text.",
  effects: "read",
  affects: "nothing",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  output: { type: "object", properties: { words: { type: "integer" } }, required: ["words"] },
  run: ({ text }) => ({ words: text.split(/\\s+/).filter((word) => word !== "").length }),
  text: ({ words }) => \`\${words} words.\`,
});
`;

/** SQLite does not start without a database. */
const ARGS: { readonly [Server in Template]?: string } = {
  sqlite: `, "--create", "test.db"`,
};

const toTest = (server: Template): string => `import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { spawnServer } from "@suite/server-kit/testing";

const PROGRAM = fileURLToPath(new URL("../src/main.js", import.meta.url));

test("it has its own tool beside those of the server", async () => {
  const client = await spawnServer(process.execPath, { args: [PROGRAM${ARGS[server] ?? ""}] });
  const names = (await client.listTools()).map(({ name }) => name);
  assert.ok(names.length > 5 && names.includes("count_words"));
  const { structuredContent } = await client.callTool("count_words", { text: "one two" });
  assert.deepEqual(structuredContent, { words: 2 });
  await client.close();
});
`;

const toReadme = ({ package: title }: ProjectName, server: Template): string => `# ${title}

The server @suite/server-${server} with tools of its own.

\`\`\`sh
npm install && npm run build && npm test
\`\`\`

\`src/main.ts\` says what is added, removed, renamed or changed, and \`src/count-words.ts\` is a tool to begin with. \`npm start -- --help\`
lists the options; \`node dist/src/main.js --print-host-config claude-desktop\` prints configuration for a host.
`;

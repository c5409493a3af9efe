import { renderServers } from "./report.ts";
import type { VisitOutcome } from "./run.ts";

/** docs/support.md, from what was seen. */
export const renderSupport = (
  ours: ReadonlyMap<string, readonly VisitOutcome[]>,
): string => `# What works in which revision

Made by the [bed](../e2e/bed/checks/index.ts), which visits every server over stdio and over HTTP in the five revisions of the
protocol; a test holds this page to what it saw. _all_ means all five; – means that the bed saw nothing of it there:
not every server reports progress or asks its client, and some do so only in tests of their own.

${renderServers(ours)}

_tool calls_: every tool is called so that it works, and so that it cannot; results fit their schemas (GitHub's writes are previews
here, and seven tools of git that need a second repository have [tests of their own](../e2e/git/)). _agent contract_: what
[the kit](../packages/server-kit/README.md#the-contract-with-agents) promises of every tool, in both views of a result.
_every message_: each one fits the official JSON schema of its revision, and says nothing that the revision does not know.
_official clients_: one of the SDKs v1 and v2 that speaks the revision does all of it once more, and accepts what it gets (over HTTP
in the oldest and the newest revision). On notes, each that speaks it does so in every revision, which \`npm run e2e -- --server all\`
does on all servers.

## Node

All of this holds on Node 20, 22, 24 and 26 (last seen on 20.20.2, 22.23.3, 24.21.0 and 26.10.0).
\`npm run soak\` [visits](../e2e/bed/nodes.soak.test.ts) all six servers on each of them, over
both transports, in the newest revision of either era; \`npm test\` only SQLite on Node 22, where it has
[another native library](decisions/0017-two-versions-of-better-sqlite3.md). For all five revisions there is
\`npm run e2e -- --server all --node 24\`, which installs that Node and visits the built servers on it.

## A server of yours

The same bed takes any server, and goes by what that server says of itself:

\`\`\`sh
npm run e2e -- --command "node my-server.js"
npm run e2e -- --url http://localhost:3000/mcp
\`\`\`

It calls only tools that say they are read-only, with arguments made from their schemas; \`--call-tools\` lets it call all.
The exit code is 1 if anything is wrong; what is merely not recommended is listed, too. This is what it has to say about the
[reference servers](reference-servers.md).
`;

// What may import what. Paths are relative to the repository's root.

/** The folders of the core. Files beside them (index.ts, serve.ts …) are composition roots and may import everything. */
export const core = {
  root: "packages/core/src",
  /** In the order in which a message passes them: a folder may import itself, folders further right, and the leaves. */
  chain: ["transport", "revision", "connection", "dispatch", "features"],
  /** Leaf folders, each with all that it may import besides itself. */
  leaves: {
    jsonrpc: [],
    model: ["values"],
    schema: ["jsonrpc", "model", "values"],
    "uri-template": [],
    timing: [],
    values: [],
  },
  /** Folders outside the chain, each with all that it may import besides itself. */
  others: {
    client: ["transport", "revision", "jsonrpc", "model", "timing", "values"],
  },
};

/**
 * The folders of each server's domain, with all that each may import besides itself. "." are the files beside them, which may
 * import everything: another rule forbids cycles.
 * @type {{ readonly [server: string]: { readonly [folder: string]: readonly string[] } }}
 */
export const domainFolders = {
  filesystem: {
    editing: ["searching", "writing", "walking", "reading", "."],
    searching: ["walking", "reading", "."],
    browsing: ["walking", "reading", "."],
    watching: ["."],
    writing: ["walking", "reading", "."],
    walking: ["reading", "."],
    reading: ["."],
  },
  sqlite: {
    // Engine and worker are two programs, and share only the protocol between them.
    engine: ["protocol"],
    worker: ["protocol", "transfer", "values", "sql-policy"],
    protocol: ["transfer", "values"],
    transfer: ["values"],
    values: ["sql-policy"],
    "sql-policy": [],
  },
  git: {
    writing: ["reading", "git", "repository", "."],
    reading: ["git", "repository", "."],
    watching: ["repository"],
    git: ["repository"],
    repository: [],
  },
  fetch: { parsing: [] },
  github: { gateway: ["answers"], answers: [] },
};

/** `@suite/core` runs anywhere; only the other entry points may need Node. */
export const nodeFree = {
  entry: "packages/core/src/index.ts",
  nodeEntries: ["node", "http", "client", "testing"].map((name) => `packages/core/src/${name}.ts`),
  globals: ["process", "Buffer"],
};

/** The half of the kit that knows nothing of the protocol. */
const kitDomain = /^packages\/server-kit\/src\/(domain\/|(domain|outbound)\.ts$)/;

/**
 * Forbidden edges: from a file, to a specifier as written or to the file it resolves to.
 * @type {{ rule: string; from: RegExp; specifier?: RegExp; to?: RegExp; because: string }[]}
 */
export const forbiddenImports = [
  {
    rule: "core-has-no-dependencies",
    // WebSockets need ws, which is an optional peer dependency.
    from: /^packages\/core\/src\/(?!transport\/http\/websocket\.ts$)/,
    specifier: /^(?!\.|node:|\()/,
    because: "the core ships without dependencies",
  },
  {
    rule: "kit-stands-on-the-suite",
    // Shared schemas are for servers that use valibot, on an entry of their own; OpenTelemetry is an optional peer.
    from: /^packages\/server-kit\/src\/(?!domain\/outbound\/|schemas\.ts$|serving\/telemetry\/open-telemetry\.ts$)/,
    specifier: /^(?!\.|node:|\(|@suite\/(core|auth|replicas)(\/|$))/,
    because: "every server pays for what the kit depends on",
  },
  {
    rule: "check-stands-alone",
    from: /^packages\/check\/src\//,
    specifier: /^(?!\.|node:|@suite\/core\/client$|ajv(\/|$))/,
    because: "npx installs it for one run, and it judges servers with nothing that they are made of",
  },
  {
    rule: "check-knows-its-order",
    from: /^packages\/check\/src\/(wires|rules)\//,
    to: /^packages\/check\/src\/(checks|visits|report|program)\//,
    because: "wires and rules are for tests too, which choose their own checks",
  },
  {
    rule: "telemetry-stands-on-its-peer",
    from: /^packages\/server-kit\/src\/serving\/telemetry\/open-telemetry\.ts$/,
    specifier: /^(?!\.|@suite\/core$|@opentelemetry\/(api|sdk-node)$)/,
    because: "users of telemetry have to install what it imports",
  },
  {
    rule: "schemas-stand-on-valibot",
    from: /^packages\/server-kit\/src\/schemas\.ts$/,
    specifier: /^(?!valibot$)/,
    because: "it is a separate entry point, and needs nothing from the kit",
  },
  {
    rule: "outbound-stands-on-undici",
    from: /^packages\/server-kit\/src\/domain\/outbound\//,
    specifier: /^(?!\.|node:|\(|@suite\/|undici(\/|$)|ipaddr\.js$)/,
    because: "all requests to the network go through one client",
  },
  {
    rule: "undici-only-in-client",
    from: /^(?!packages\/server-kit\/src\/domain\/outbound\/(undici-(client|pools)\.ts|undici-parts\.d\.ts)$|e2e\/|.*\/test\/)/,
    specifier: /^undici(\/|$)/,
    because: "it is loaded with the first request, and no request may bypass the rules for addresses",
  },
  {
    rule: "below-the-kit",
    from: /^packages\/(auth|replicas|documents)\//,
    specifier: /^@suite\/(?!core(\/|$))/,
    because: "the kit loads them on request, never the other way",
  },
  {
    rule: "servers-stand-on-the-kit",
    from: /^servers\//,
    specifier: /^@suite\/core(\/|$)/,
    because: "authors of servers should have to learn only one package",
  },
  {
    rule: "start-needs-the-program-only",
    from: /^servers\/[^/]+\/src\/(main|parts|options|introduction)\.ts$/,
    specifier: /^@suite\/server-kit(?!\/program$)/,
    because: "the first answer waits for everything they import",
  },
  {
    rule: "views-are-pages",
    from: /^servers\/[^/]+\/src\/views\//,
    specifier: /^(node:|@suite\/(?!server-kit\/view$))/,
    because: "they run in a browser, and know of their server only what its results say",
  },
  {
    rule: "views-stay-inside",
    from: /^(servers\/[^/]+|packages\/server-kit)\/src\/views\//,
    to: /\/src\/(?!views\/)/,
    because: "they run in a browser, and know of their server only what its results say",
  },
  {
    rule: "views-are-not-imported",
    from: /^(servers\/[^/]+|packages\/server-kit)\/src\/(?!views\/)/,
    to: /^(servers\/[^/]+|packages\/server-kit)\/src\/views\//,
    because: "programs serve them as files",
  },
  {
    rule: "domain-knows-no-suite",
    from: /^servers\/[^/]+\/src\/domain\//,
    specifier: /^@suite\/(?!server-kit\/(domain|outbound)$)/,
    because:
      "a domain folder may use node:, its libraries, and the kit's domain and outbound entries, not the protocol",
  },
  {
    rule: "kit-domain-knows-no-suite",
    from: kitDomain,
    specifier: /^@suite\//,
    because: "domain folders are built on it, and they know nothing of the protocol",
  },
  {
    rule: "kit-domain-stays-inside",
    from: kitDomain,
    to: /^packages\/server-kit\/src\/(?!domain\/)/,
    because: "domain folders are built on it, and on nothing else of the kit",
  },
  {
    rule: "domain-stays-inside",
    from: /^servers\/[^/]+\/src\/domain\//,
    to: /^servers\/[^/]+\/src\/(?!domain\/)/,
    because: "a server is built on its domain, never the other way",
  },
  {
    rule: "sqlite-only-in-its-worker",
    // The doctor checks whether it can be loaded.
    from: /^servers\/[^/]+\/src\/(?!domain\/worker\/|checks\.ts$)/,
    specifier: /^better-sqlite3$/,
    because: "a statement can only be stopped together with its process",
  },
  {
    rule: "packages-below-servers",
    from: /^packages\//,
    to: /^servers\//,
    because: "servers are built on packages, never the other way",
  },
  {
    rule: "peers-only-in-e2e",
    from: /^(?!e2e\/)/,
    specifier: /^@modelcontextprotocol\//,
    because: "the official SDKs are peers to test against, never a dependency",
  },
  {
    rule: "tests-are-not-imported",
    from: /^(?!(.*\/)?test\/)/,
    to: /^(.*\/)?test\//,
    because: "a test folder is for its own tests",
  },
  {
    rule: "e2e-is-not-imported",
    from: /^(?!e2e\/)/,
    to: /^e2e\//,
    because: "e2e depends on everything, so nothing may depend on it",
  },
];

/**
 * Globals that only some files may use, and the modules that export the same.
 * @type {{ rule: string; from: RegExp; global: string; specifier?: RegExp; because: string }[]}
 */
export const forbiddenGlobals = [
  {
    rule: "process-only-in-main",
    // A worker is a separate program.
    from: /^servers\/[^/]+\/src\/(?!(main|parts|worker)\.ts$)/,
    global: "process",
    specifier: /^(node:)?process$/,
    because: "options and streams arrive by argument; only main.ts, parts.ts and a worker touch the process",
  },
  {
    rule: "no-global-fetch",
    // fetch-json.ts uses it as the default, for programs that use auth without the kit.
    from: /^(servers\/[^/]+|packages\/server-kit|packages\/auth(?!\/src\/fetch-json\.ts$))\/src\//,
    global: "fetch",
    because: "requests go out through @suite/server-kit/outbound, which knows proxies and checks addresses",
  },
];

/** Files whose dynamic imports must name the module literally, or the checks above would miss it. */
export const literalImports = /^(packages|servers)\/[^/]+\/src\//;

/** The parsers that are fuzzed are no exports of their packages: what reads them takes their sources, as their tests do. */
export const readsSources = /^scripts\/fuzz\//;

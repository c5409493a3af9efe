import type { Server, ServerConfig } from "@suite/server-kit";
import { DocumentFiles } from "@suite/server-kit/domain";
import { createOutbound, createResolver, type AuditLine } from "@suite/server-kit/outbound";
import { ExitError, type ProgramContext, type ProgramOptions } from "@suite/server-kit/program";

import { PageCache } from "./domain/cache.ts";
import { Documents } from "./domain/documents.ts";
import { HeldBytes } from "./domain/held-bytes.ts";
import { Parsers } from "./domain/parsers.ts";
import { ROBOTS_ROOM } from "./domain/robots.ts";
import { Revisions } from "./domain/revisions.ts";
import { Web } from "./domain/web.ts";
import { introduction } from "./introduction.ts";
import { type options, parseHostHeaders } from "./options.ts";
import { prompts } from "./prompts/index.ts";
import { admitWatcher, pageTemplate, urlTemplate } from "./resources/page.ts";
import type { FetchState } from "./state.ts";
import { tools } from "./tools/index.ts";

export type FetchServerOptions = ProgramOptions<typeof options>;

export interface FetchServerContext extends Pick<ProgramContext, "contract"> {
  /** The module that parser threads run. */
  readonly threadUrl: URL;
  /** The environment variables in which proxies are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const { info, instructions } = introduction;
const SITE = "https://www.npmjs.com/package/@suite/server-fetch";
const PARSE_MS = 20_000;
const PARSE_MB = 256;
const ONE_OF_MANY_MS = 15_000;
/** Of pages that are being fetched or read, all together. */
const HELD_BYTES = 64 * 1024 * 1024;

export function configureFetch(
  given: FetchServerOptions,
  context: FetchServerContext,
): ServerConfig<FetchState> {
  const { contract, threadUrl } = context;
  const name = given.userAgent ?? `SuiteFetch/${info.version}`;
  const userAgent = given.userAgent ?? `${name} (autonomous; +${SITE})`;
  const outbound = createConfiguredOutbound(given, userAgent, context);
  let server: Server<FetchState> | undefined;
  const held = new HeldBytes(HELD_BYTES);
  const timeoutMs = Math.min(PARSE_MS, given.timeout);
  const files = new DocumentFiles({ load: () => import("@suite/documents"), hint: "", timeoutMs });
  const parsers = new Parsers({
    held,
    threadUrl,
    threads: 2,
    timeoutMs,
    memoryMb: PARSE_MB,
  });
  const web = new Web({
    outbound,
    held,
    cache: new PageCache({
      maxBytes: given.cacheSize * 1024 * 1024,
      ...(given.cacheDir !== undefined && { directory: given.cacheDir }),
      changed: () => server?.listChanged("resources"),
      report: contract.report,
    }),
    maxBytes: given.maxBytes,
    oneOfManyMs: ONE_OF_MANY_MS,
    userAgent,
    personUserAgent: given.userAgent ?? `${name} (user-initiated; +${SITE})`,
    ignoreRobots: given.ignoreRobotsTxt,
  });
  const revisions = new Revisions(web, given.watchInterval, given.timeout);
  return {
    ...info,
    instructions,
    state: { web, documents: new Documents({ parsers, files, held, maxBytes: given.maxBytes }), revisions },
    tools,
    checksResults: false,
    templates: [pageTemplate, urlTemplate],
    prompts,
    admitSubscriber: admitWatcher,
    dispose: async () => {
      revisions.close();
      await Promise.all([parsers.dispose(), files.dispose(), outbound.close()]);
    },
    created: (made) => void (server = made),
  };
}

function createConfiguredOutbound(
  given: FetchServerOptions,
  userAgent: string,
  { contract, environment }: FetchServerContext,
): ReturnType<typeof createOutbound> {
  const { audit } = contract;
  try {
    return createOutbound({
      userAgent,
      allowHosts: given.allowHosts,
      denyHosts: given.denyHosts,
      allowPrivateHosts: given.allowPrivateHosts,
      ...(given.proxyUrl !== undefined && { proxyUrl: given.proxyUrl }),
      ...(given.dnsServers.length > 0 && { lookup: createResolver(given.dnsServers) }),
      environment,
      maxBytes: Math.max(given.maxBytes, ROBOTS_ROOM),
      timeoutMs: given.maxTimeout,
      perHost: { concurrency: given.perHost, minIntervalMs: given.minInterval },
      credentials: parseHostHeaders(given.hostHeaders),
      ...(audit && { audit: (line: AuditLine) => record(line, audit, contract.report) }),
    });
  } catch (thrown) {
    if (thrown instanceof ExitError) throw thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ExitError("configuration", message, { cause: thrown });
  }
}

/** A failed write to the log is reported to the operator, and does not fail the request. */
function record(line: AuditLine, audit: Audit, report: (thrown: unknown) => void): void {
  try {
    audit.record(toEntry(line));
  } catch (thrown) {
    report(thrown);
  }
}

/** An audit entry for an outgoing request, besides those for calls. */
const toEntry = ({ time, method, url, outcome, bytes, durationMs }: AuditLine): AuditEntry => ({
  time,
  method: "outbound",
  name: `${method} ${url}`,
  outcome,
  durationMs,
  bytes,
  server: `${info.name} ${info.version}`,
});

type Audit = NonNullable<ProgramContext["contract"]["audit"]>;
type AuditEntry = Parameters<Audit["record"]>[0];

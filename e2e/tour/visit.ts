import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ChildTransport, type Client, connect } from "@suite/core/client";
import { TourFailure, type TourServer } from "./tour-server.ts";
import { RecordedTransport } from "./wire.ts";

export interface TourVisitOptions {
  readonly folder: string;
  readonly revision?: string;
  /** Told what the server asks, before the tour answers. */
  readonly onQuestion?: (message: string) => void;
}

/** No call of the tour takes more than a moment, but on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The built program of a server, found by the name of its package. */
export function programOf({ packageName }: TourServer): string {
  const manifestFile = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifestFile, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifestFile), Object.values(bin)[0] ?? "");
}

/** Starts a server, talks to it and lets it go, whatever happens in between. */
export async function showServer<T>(
  server: TourServer,
  { folder, revision, onQuestion }: TourVisitOptions,
  talk: (client: Client, wire: RecordedTransport) => Promise<T>,
): Promise<T> {
  const program = programOf(server);
  if (!existsSync(program)) throw new TourFailure(`${program} does not exist: run npm run build`);
  let complaints = "";
  let client: Client | undefined;
  try {
    const transport = new ChildTransport(process.execPath, {
      args: [program, ...server.args(folder)],
      cwd: folder,
      stderr: (text) => (complaints += text),
    });
    const wire = new RecordedTransport(transport);
    client = await connect(wire, {
      name: "tour",
      timeoutMs: TIMEOUT_MS,
      probeMs: TIMEOUT_MS,
      ...(revision !== undefined && { revision }),
      elicit({ message }) {
        onQuestion?.(message);
        return { action: "accept", content: server.answer };
      },
    });
    return await talk(client, wire);
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    const where = revision === undefined ? server.name : `${server.name} in revision ${revision}`;
    throw new TourFailure([`${where}: ${what}`, complaints.trim()].join("\n").trim(), { cause });
  } finally {
    await client?.close();
  }
}

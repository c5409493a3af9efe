import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Finding } from "@suite/server-kit";
import { createOutbound } from "@suite/server-kit/outbound";

import type { FetchServerOptions } from "./server.ts";

/** Describes the network settings. Sends nothing: a check should not contact any host. */
export function checkNetwork(
  given: FetchServerOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Finding {
  const outbound = createOutbound({
    userAgent: "doctor",
    maxBytes: 1,
    timeoutMs: 1,
    environment,
    ...(given.proxyUrl !== undefined && { proxyUrl: given.proxyUrl }),
  });
  const isProxied = ["http:", "https:"].some((scheme) =>
    outbound.isProxied(new URL(`${scheme}//example.com/`)),
  );
  const open = given.allowPrivateHosts.length;
  const found = [
    isProxied ? "through a proxy" : "directly",
    given.allowHosts.length > 0 ? `to ${given.allowHosts.join(", ")} only` : "to public hosts",
    ...(open > 0 ? [`and to private ones: ${given.allowPrivateHosts.join(", ")}`] : []),
  ].join(" ");
  const needed = "a way to the network";
  if (!isProxied) return { status: "ok", needed, found };
  const hint = "The proxy resolves names, so it has to keep this server from private addresses itself.";
  return { status: "warning", needed, found, hint };
}

/** Optional: without it, documents are returned as bytes. */
export async function checkDocuments(): Promise<Finding> {
  const needed = "@suite/documents, for the text of PDF, DOCX, XLSX, PPTX, ODT and EPUB";
  try {
    await import("@suite/documents");
    return { status: "ok", needed, found: "installed" };
  } catch {
    const hint =
      "To have the text of documents, and not only their bytes, install @suite/documents beside this server.";
    return { status: "warning", needed, found: "not installed", hint };
  }
}

/** Whether the operator's cache directory is writable. */
export async function checkCache({ cacheDir, cacheSize }: FetchServerOptions): Promise<Finding> {
  const needed = "room for cached pages";
  if (cacheDir === undefined) return { status: "ok", needed, found: `in memory, ${cacheSize} MiB` };
  const probe = join(cacheDir, ".probe");
  try {
    await mkdir(cacheDir, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
    return { status: "ok", needed, found: `${cacheDir}, ${cacheSize} MiB` };
  } catch (thrown) {
    const found = `${cacheDir}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { status: "missing", needed, found, hint: "Choose a directory that can be written." };
  }
}

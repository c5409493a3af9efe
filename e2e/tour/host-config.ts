import { spawnSync } from "node:child_process";
import type { StandardOptions } from "@suite/server-kit/program";
import { TourFailure } from "./tour-server.ts";

export type HostId = StandardOptions["printHostConfig"]["values"][number];

export interface HostConfig {
  /** The host, and where it keeps its configuration. */
  readonly title: string;
  readonly where: string;
  readonly text: string;
  /** Installs the server, where the host has such links. */
  readonly link: string | undefined;
}

/** What a program prints for a host. */
export function readHostConfig(
  program: string,
  host: HostId,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): HostConfig {
  const words = [program, "--print-host-config", host, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
  if (status !== 0) throw new TourFailure(`${program}: ${stderr}`);
  const [, title = "", where = ""] = /^(.*?): (.*)$/m.exec(stderr) ?? [];
  return { title, where, text: stdout, link: /^Or open this link: (\S+)$/m.exec(stderr)?.[1] };
}

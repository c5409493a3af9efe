import { join } from "node:path";

import { toTable } from "@suite/check";

import { LocalRegistry } from "../../registry/local-registry.ts";
import { NPX_SERVERS, type NpxResult, REFERENCE, runNpx } from "../../registry/npx.ts";
import { medianOf } from "../measure/measure.ts";
import { interleave } from "../measure/turns.ts";
import type { SuiteOptions } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";

const CONTENDERS = [REFERENCE, ...NPX_SERVERS];

/** What a new user waits for: npx in an empty home, and once more in the same. All from one registry on this machine. */
export async function run(options: SuiteOptions): Promise<string> {
  const contenders = CONTENDERS.filter(({ package: name }) => options.only?.includes(name) ?? true);
  if (contenders.length === 0) {
    throw new UsageError(`--only takes packages: ${CONTENDERS.map(({ package: name }) => name).join(", ")}`);
  }
  options.showProgress("publishing to a registry of its own");
  const registry = await LocalRegistry.start(join(options.folder, "registry"));
  try {
    const results = new Map(
      contenders.map(({ package: name }) => [name, { first: [] as NpxResult[], again: [] as NpxResult[] }]),
    );
    const rounds = Math.ceil(options.rounds / 4);
    // The first round fills the registry with what it gets elsewhere.
    for (const { contender, round } of interleave(contenders, rounds + 1)) {
      options.signal.throwIfAborted();
      options.showProgress(`round ${round} of ${rounds + 1}: ${contender.package}`);
      const folder = join(options.folder, String(round), contender.package);
      const first = await runNpx(contender, registry.url, folder);
      const again = await runNpx(contender, registry.url, folder);
      if (round === 1) continue;
      results.get(contender.package)?.first.push(first);
      results.get(contender.package)?.again.push(again);
    }
    const rows = [...results].map(([name, { first, again }]) => [
      name,
      secondsOf(first),
      secondsOf(again),
      String(first[0]?.packages.length),
      ((first[0]?.bytes ?? 0) / 1024 / 1024).toFixed(2),
    ]);
    const header = ["npx -y …", "first time, s", "again, s", "packages", "MiB installed"];
    return toTable(header, rows);
  } finally {
    await registry.close();
  }
}

/** Until `initialize` is answered. */
const secondsOf = (results: readonly NpxResult[]): string =>
  (medianOf(results.map(({ answeredMs }) => answeredMs)) / 1000).toFixed(2);

import { fileURLToPath } from "node:url";
import type { Era } from "@suite/core";
import { type Measure, toReport } from "../measure/measure.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { bundleServer, FLOOR, OURS } from "../servers/contenders.ts";
import { revisionOf } from "../servers/messages.ts";
import type { SuiteOptions } from "../suite.ts";
import { type HttpCounts, sampleHttpCalls } from "./samples.ts";

const PEER = "SDK v2";

const SERVERS = [
  { name: FLOOR, server: "floor", isBundled: true },
  { name: PEER, server: "sdk-v2", isBundled: false },
  { name: OURS, server: "ours", isBundled: true },
] as const;

const FULL: HttpCounts = { warmUp: 5_000, calls: 5_000 };
const QUICK: HttpCounts = { warmUp: 300, calls: 1_000 };

interface HttpContender {
  readonly name: string;
  readonly script: string;
}

/** One echo tool over HTTP at 16 connections, ours between the floor and the official handler. */
export async function run(options: SuiteOptions): Promise<string> {
  const contenders = await Promise.all(
    SERVERS.map(async ({ name, server, isBundled }) => {
      const installed = fileURLToPath(new URL(`servers/${server}.js`, import.meta.url));
      return { name, script: isBundled ? await bundleServer(installed, options.folder) : installed };
    }),
  );
  const [modern] = await measure(contenders, "modern", options);
  const [legacy] = await measure(contenders, "legacy", options);
  return toReport([modern, legacy]);
}

function measure(
  contenders: readonly HttpContender[],
  era: Era,
  options: SuiteOptions,
): Promise<readonly [Measure]> {
  const revision = revisionOf[era];
  const isModern = era === "modern";
  const figure = {
    title: `echo over 16 connections, ${isModern ? "stateless" : "in a session where there is one"}, calls/s (${revision})`,
    digits: 0,
    baseline: FLOOR,
    targets: isModern
      ? [
          { per: FLOOR, atLeast: 0.65 },
          { per: PEER, atLeast: 5 },
        ]
      : [],
  };
  return measureInTurns(
    [figure],
    contenders,
    { ...options, rounds: callRoundsOf(options), what: `calls of ${revision}` },
    async ({ script }) => [await sampleHttpCalls(script, era, options.quick ? QUICK : FULL, options.signal)],
  );
}

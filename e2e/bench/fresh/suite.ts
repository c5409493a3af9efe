import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { commandFor } from "../../bed/other-node.ts";
import { deadlineMs, drive, type Driven, shakeHands } from "../core/driving.ts";
import { toolsList, toToolCall } from "../core/messages.ts";
import { interleave } from "../measure/interleave.ts";
import { pump, toRequests } from "../measure/pump.ts";
import type { ServerProcess } from "../measure/server-process.ts";
import { summarize } from "../measure/statistics.ts";
import { formatTable } from "../measure/table.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import { FLOOR, OURS, prepareFloor } from "../servers/contenders.ts";
import { checkAnswers } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { FRESH_ROWS, type FreshCall, type FreshRow, type FreshSetup } from "./rows.ts";

const CALLS = 100;
const REFERENCE = "reference";
const opening = {
  initialize: "initialize answered",
  list: "tools/list answered",
  first: "first call answered",
};

/** What the floor does instead of a server's calls. */
const echo: FreshCall = {
  title: "echo",
  call: { name: "echo", arguments: { text: "hello" } },
  check: ({ content }) => content?.[0]?.text === "hello",
};

/** Milliseconds by figure and contender. */
type Figures = Map<string, Map<string, number[]>>;

/**
 * What a person waits for: fresh processes in a bare environment, from the spawn to the first answers and through the
 * first hundred calls. Nothing is warmed up, but it is not the first start either: Node may have kept compiled code.
 */
export async function run(options: SuiteOptions): Promise<SuiteReport> {
  const rows = FRESH_ROWS.filter(({ server }) => options.only?.includes(server) ?? true);
  if (rows.length === 0) {
    throw new UsageError(`--only takes servers: ${FRESH_ROWS.map(({ server }) => server).join(", ")}`);
  }
  const floor = await prepareFloor(options.folder);
  const tables: string[] = [];
  const targets: BenchTarget[] = [];
  const measures: object[] = [];
  for (const row of rows) {
    const folder = join(options.folder, row.server);
    await mkdir(folder);
    const setup = await toSetup(row, { ...options, folder });
    const figures = await measureRow(row, setup, { ...floor, node: options.node }, options);
    tables.push(`${row.server}, ms\n${toTable(figures)}`);
    targets.push(...toTargets(row, figures));
    measures.push({ server: row.server, figures: toPlainFigures(figures) });
  }
  return {
    text: [...tables, formatTargets(targets)].join("\n\n"),
    data: { measures, targets: targets.map(toPlainTarget) },
  };
}

/** What the row measures, for the Node that is asked for. */
async function toSetup(row: FreshRow, options: SuiteOptions): Promise<FreshSetup> {
  const { node, folder, signal } = options;
  const setup = await row.prepare(options);
  const installed = join(folder, "installed");
  await mkdir(installed);
  const isOther = node !== process.execPath;
  const [, script = ""] = isOther
    ? commandFor(node, [node, setup.ours.script], undefined, () => installed)
    : [node, setup.ours.script];
  // Node 22 and later keep compiled code for the next start.
  const env = { XDG_CACHE_HOME: join(folder, "cache") };
  const ours = { ...setup.ours, script, node, env };
  const [call] = setup.calls;
  if (call) await sampleFresh(ours, call, 1, signal, (server) => server.end());
  return { ...setup, ours, ...(setup.reference && { reference: { ...setup.reference, node } }) };
}

async function measureRow(
  { server }: FreshRow,
  { ours, reference, calls }: FreshSetup,
  floor: Driven,
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<Figures> {
  const contenders = [floor, ...(reference ? [reference] : []), ours];
  const turns = calls.flatMap((call, index) =>
    [1, CALLS].flatMap((window) =>
      contenders.map((contender) => ({ contender, call, window, countsFirst: index === 0 && window === 1 })),
    ),
  );
  const figures: Figures = new Map();
  const add = (figure: string, name: string, ms: number): void => {
    const byName = figures.get(figure) ?? new Map<string, number[]>();
    figures.set(figure, byName.set(name, [...(byName.get(name) ?? []), ms]));
  };
  for (const { contender: turn, round } of interleave(turns, rounds)) {
    const { contender, call, window, countsFirst } = turn;
    showProgress(`${server}, round ${round} of ${rounds}: ${contender.name}, ${call.title}`);
    const sample = await sampleFresh(contender, contender === floor ? echo : call, window, signal);
    add(opening.initialize, contender.name, sample.initializeMs);
    add(opening.list, contender.name, sample.listMs);
    if (countsFirst) add(opening.first, contender.name, sample.firstMs);
    add(
      `${CALLS} x ${call.title}, ${window === 1 ? "one by one" : "pipelined"}`,
      contender.name,
      sample.callsMs,
    );
  }
  return figures;
}

interface FreshSample {
  /** Since the spawn. */
  readonly initializeMs: number;
  readonly listMs: number;
  readonly firstMs: number;
  /** Of the hundred calls after the first. */
  readonly callsMs: number;
}

function sampleFresh(
  contender: Driven,
  { call, check }: FreshCall,
  window: number,
  signal: AbortSignal,
  atEnd: (server: ServerProcess) => Promise<void> = (server) => server.stop(),
): Promise<FreshSample> {
  const spawnedAt = performance.now();
  return drive(contender, signal, async (server) => {
    const initializedAt = await shakeHands(server, "legacy");
    const list = await pump(server, toRequests([toolsList]), { window: 1, deadlineMs });
    const [firstRequest, ...requests] = Array.from({ length: CALLS + 1 }, (_, id) =>
      toToolCall(10 + id, call),
    );
    const first = await pump(server, toRequests([firstRequest ?? {}]), { window: 1, deadlineMs });
    const beganAt = performance.now();
    const rest = await pump(server, toRequests(requests), { window, deadlineMs });
    checkAnswers(Buffer.concat([first.bytes, rest.bytes]), CALLS + 1, call, check);
    await atEnd(server);
    return {
      initializeMs: initializedAt - spawnedAt,
      listMs: list.doneAt - spawnedAt,
      firstMs: first.doneAt - spawnedAt,
      callsMs: rest.doneAt - beganAt,
    };
  });
}

const medianOf = (figures: Figures, figure: string, name: string): number | undefined => {
  const samples = figures.get(figure)?.get(name);
  return samples && summarize(samples).median;
};

function toTable(figures: Figures): string {
  const rows = [...figures.keys()].map((figure) => {
    const [floor, reference, ours] = [FLOOR, REFERENCE, OURS].map((name) => medianOf(figures, figure, name));
    const show = (ms: number | undefined): string => ms?.toFixed(1) ?? "-";
    const ratio = (base: number | undefined): string =>
      base === undefined || ours === undefined ? "-" : `${(ours / base).toFixed(2)}x`;
    return [figure, show(floor), show(reference), show(ours), ratio(floor), ratio(reference)];
  });
  return formatTable(["median", FLOOR, REFERENCE, OURS, "vs floor", "vs reference"], rows);
}

function toTargets({ server, firstCallAtMost, callsAtMost = 1 }: FreshRow, figures: Figures): BenchTarget[] {
  const ratio = (figure: string, base: string): number =>
    (medianOf(figures, figure, OURS) ?? Number.NaN) / (medianOf(figures, figure, base) ?? Number.NaN);
  const compared = [...figures].filter(
    ([figure, byName]) => figure.startsWith(`${CALLS} x`) && byName.has(REFERENCE),
  );
  return [
    { what: `${server}: tools/list vs floor`, measured: ratio(opening.list, FLOOR), wanted: { atMost: 1.3 } },
    ...(firstCallAtMost === undefined
      ? []
      : [
          {
            what: `${server}: first call vs floor`,
            measured: ratio(opening.first, FLOOR),
            wanted: { atMost: firstCallAtMost },
          },
        ]),
    ...compared.map(([figure]) => ({
      what: `${server}: ${figure} vs reference`,
      measured: ratio(figure, REFERENCE),
      wanted: { atMost: callsAtMost },
    })),
  ];
}

const toPlainFigures = (figures: Figures): object =>
  Object.fromEntries([...figures].map(([figure, byName]) => [figure, Object.fromEntries(byName)]));

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { commandFor } from "../../bed/other-node.ts";
import { UsageError } from "../../support/usage.ts";
import { type Figure, type Measure, toReport } from "../measure/measure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import type { ServerProcess } from "../measure/server-process.ts";
import { measureInTurns } from "../measure/turns.ts";
import { FLOOR, prepareFloor } from "../servers/contenders.ts";
import { deadlineMs, drive, type Driven, shakeHands } from "../servers/driving.ts";
import { toolsList, toToolCall } from "../servers/messages.ts";
import { checkAnswers } from "../servers/tool-calls.ts";
import type { SuiteOptions } from "../suite.ts";
import { FRESH_ROWS, type FreshCall, type FreshRow, type FreshSetup } from "./rows.ts";

const CALLS = 100;
const REFERENCE = "reference";
const WINDOWS = [1, CALLS];

/** What the floor does instead of a server's calls. */
const echo: FreshCall = {
  title: "echo",
  call: { name: "echo", arguments: { text: "hello" } },
  check: ({ content }) => content?.[0]?.text === "hello",
};

/**
 * What a person waits for: fresh processes in a bare environment, from the spawn to the first answers and through the
 * first hundred calls. Nothing is warmed up, but it is not the first start either: Node may have kept compiled code.
 */
export async function run(options: SuiteOptions): Promise<string> {
  const rows = FRESH_ROWS.filter(({ server }) => options.only?.includes(server) ?? true);
  if (rows.length === 0) {
    throw new UsageError(`--only takes servers: ${FRESH_ROWS.map(({ server }) => server).join(", ")}`);
  }
  const floor = { ...(await prepareFloor(options.folder)), node: options.node };
  const measures: Measure[] = [];
  for (const row of rows) {
    const folder = join(options.folder, row.server);
    await mkdir(folder);
    const setup = await toSetup(row, { ...options, folder });
    measures.push(...(await measureRow(row, setup, floor, options)));
  }
  return toReport(measures);
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

/** Each call in fresh processes of its own, one by one and pipelined. The first of them also shows the start. */
function measureRow(
  { server, firstCallAtMost, callsAtMost = 1 }: FreshRow,
  { ours, reference, calls }: FreshSetup,
  floor: Driven,
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  const toFigure = (title: string, targets: Figure["targets"] = []): Figure => ({
    title: `${server}: ${title}, ms`,
    digits: 1,
    baseline: FLOOR,
    targets,
  });
  const ways = calls.flatMap((call) => WINDOWS.map((window) => ({ call, window })));
  const figures = [
    toFigure("initialize answered"),
    toFigure("tools/list answered", [{ per: FLOOR, atMost: 1.3 }]),
    toFigure(
      "first call answered",
      firstCallAtMost === undefined ? [] : [{ per: FLOOR, atMost: firstCallAtMost }],
    ),
    ...ways.map(({ call, window }) =>
      toFigure(`${CALLS} x ${call.title}, ${window === 1 ? "one by one" : "pipelined"}`, [
        { per: REFERENCE, atMost: callsAtMost },
      ]),
    ),
  ];
  const contenders = [floor, ...(reference ? [reference] : []), ours];
  return measureInTurns(figures, contenders, { ...options, what: server }, async (contender) => {
    const samples: FreshSample[] = [];
    for (const { call, window } of ways)
      samples.push(await sampleFresh(contender, contender === floor ? echo : call, window, options.signal));
    const [first] = samples;
    return [first?.initializeMs, first?.listMs, first?.firstMs, ...samples.map(({ callsMs }) => callsMs)];
  });
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
    const initializedAt = await shakeHands(server);
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

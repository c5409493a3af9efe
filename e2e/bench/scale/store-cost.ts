import { fileURLToPath } from "node:url";

import type { Era } from "@suite/core";
import { revisionOf } from "../servers/messages.ts";
import { EchoCaller, readNumber, readPort } from "../http/samples.ts";
import { type Measure, medianOf, Samples } from "../measure/measure.ts";
import { ServerProcess } from "../measure/server-process.ts";
import { interleave } from "../measure/turns.ts";
import type { SuiteOptions } from "../suite.ts";

const SERVER = fileURLToPath(new URL("servers/replica.js", import.meta.url));

const NO_STORE = "no store";
const REDIS = "Redis";
/** Another process like the first: whatever makes these two differ is no cost of the store. */
const CONTROL = "no store either";

/** Short enough that the machine is the same for those who are compared. */
const SLICE = 500;
const FULL = { warmUp: 8, slices: 12 };
const QUICK = { warmUp: 4, slices: 6 };

/**
 * What a store costs calls that have no use for it. Processes of the same code differ by up to a tenth, by how they were
 * compiled, so every round has new ones; and the machine changes within seconds, so they take turns in slices and each slice
 * is compared with those beside it.
 */
export async function measureStoreCost(
  redis: string,
  era: Era,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const [time, times] = [new Samples([NO_STORE, REDIS, CONTROL]), new Samples([REDIS, CONTROL])];
  for (let round = 1; round <= rounds; round += 1) {
    showProgress(`the cost of a store in ${revisionOf[era]}, round ${round} of ${rounds}`);
    const contenders: StoreContender[] = [];
    try {
      for (const [name, args] of [
        [NO_STORE, []],
        [REDIS, [redis]],
        [CONTROL, []],
      ] as const) {
        contenders.push(new StoreContender(name, new ServerProcess(SERVER, signal, args)));
      }
      await Promise.all(contenders.map((contender) => contender.connect(era)));
      const slices = await runSlices(contenders, quick ? QUICK : FULL);
      const alone = slices.get(NO_STORE) ?? [];
      for (const [name, taken] of slices) {
        time.add(name, medianOf(taken));
        times.add(name, medianOf(taken.map((one, index) => one / (alone[index] ?? Number.NaN))));
      }
    } finally {
      await Promise.all(contenders.map((contender) => contender.stop()));
    }
  }
  return [
    time.toMeasure({
      title: `processor time of a call in ${revisionOf[era]}, µs`,
      digits: 1,
      baseline: NO_STORE,
    }),
    // The processor's time, not the rate: what else the machine does must not decide.
    times.toMeasure({
      title: `the same, times that of the slice beside it with ${NO_STORE}`,
      digits: 3,
      baseline: CONTROL,
      targets: [{ of: REDIS, atMost: 1.05 }],
    }),
  ];
}

async function runSlices(
  contenders: readonly StoreContender[],
  { warmUp, slices }: typeof FULL,
): Promise<ReadonlyMap<string, number[]>> {
  const taken = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (const { contender, round } of interleave(contenders, warmUp + slices)) {
    const time = await contender.timeOfSlice();
    if (round > warmUp) taken.get(contender.name)?.push(time);
  }
  return taken;
}

class StoreContender {
  readonly name: string;
  readonly #server: ServerProcess;
  #caller: EchoCaller | undefined;

  constructor(name: string, server: ServerProcess) {
    this.name = name;
    this.#server = server;
  }

  async connect(era: Era): Promise<void> {
    this.#caller = await EchoCaller.open(await readPort(this.#server), this.#server.failed, era);
  }

  /** Microseconds for each call. */
  async timeOfSlice(): Promise<number> {
    const before = await this.#timeSoFar();
    await this.#caller?.call(SLICE);
    return ((await this.#timeSoFar()) - before) / SLICE;
  }

  async stop(): Promise<void> {
    this.#caller?.close();
    await this.#server.stop();
  }

  #timeSoFar(): Promise<number> {
    const said = readNumber(this.#server, "the processor's time");
    this.#server.write(Buffer.from("\n"));
    return said;
  }
}

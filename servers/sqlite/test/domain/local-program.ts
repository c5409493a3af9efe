import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { WorkerProgram } from "../../src/domain/engine/worker-program.ts";
import type { FromWorker, ToWorker } from "../../src/domain/protocol/messages.ts";
import { Service } from "../../src/domain/worker/service.ts";

/**
 * The worker without a process of its own, which takes longer to start than most tests of what SQL does. All that passes between
 * the two is JSON, as it would be. What runs cannot be stopped.
 */
export class LocalProgram extends WorkerProgram {
  constructor() {
    super(new URL(import.meta.url), () => {
      throw new Error("No process is to be started");
    });
  }

  override prepare(): void {}

  override start(): ChildProcess {
    return new LocalWorker() as EventEmitter as ChildProcess;
  }
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** As much of a child process as is used of one. */
class LocalWorker extends EventEmitter {
  readonly connected = true;
  #service: Service | undefined;

  send(messages: readonly ToWorker[]): void {
    for (const message of throughJson(messages)) {
      if ("open" in message) this.#start(message.open);
      else if ("close" in message) this.kill();
      else this.#service?.receive(message);
    }
  }

  kill(): void {
    this.#service?.close();
    setImmediate(() => this.emit("close"));
  }

  ref(): void {}

  unref(): void {}

  #start(options: ConstructorParameters<typeof Service>[0]): void {
    const send = async (message: FromWorker): Promise<void> => {
      await new Promise(setImmediate);
      this.emit("message", throughJson([message]));
    };
    this.#service = new Service(options, {
      send,
      busy: () => undefined,
      unfit: undefined,
      toLoadFault: () => undefined,
    });
    void send({ ready: true });
  }
}

import { INTERNAL_ERROR, ProtocolError } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { TimeoutError } from "../jsonrpc/pending.ts";

/** What following a task needs of its client. */
export interface Following {
  readonly send: (method: string, params: Params) => Promise<Params>;
  readonly answer: (questions: unknown) => Promise<Params | undefined>;
  readonly tell: (task: Params) => void;
  /** Rejects when the call is cancelled or the connection ends. */
  readonly until: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly longestMs: number;
}

const DEFAULT_POLL_MS = 1000;
/** Whatever the server asks for: not a busy loop, and not forever. */
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 60_000;

/** Waits for the result of a call that was answered with a task (SEP-2663), and answers what the task asks meanwhile. */
export async function followTask(handle: Params, following: Following): Promise<Params> {
  const { taskId } = handle;
  const { send, tell, until, longestMs } = following;
  const deadline = Date.now() + longestMs;
  const answered = new Set<string>();
  let task = handle;
  try {
    for (;;) {
      const { pollIntervalMs } = task;
      tell(task);
      const waitMs = typeof pollIntervalMs === "number" ? pollIntervalMs : DEFAULT_POLL_MS;
      await until((signal) => pause(Math.min(Math.max(waitMs, SHORTEST_POLL_MS), LONGEST_POLL_MS), signal));
      if (Date.now() > deadline) throw new TimeoutError(`The task did not end within ${longestMs} ms`);
      task = await until(() => send("tasks/get", { taskId }));
      if (task["status"] === "completed" && isObject(task["result"])) return task["result"];
      if (task["status"] === "failed") throw toError(task["error"]);
      if (task["status"] === "cancelled") throw new Error("The server says that the task was cancelled");
      await answerNew(task, answered, following);
    }
  } catch (thrown) {
    // Nobody waits for it any more. A task that has ended takes no notice.
    void send("tasks/cancel", { taskId }).catch(() => undefined);
    throw thrown;
  }
}

/** Keys are never used again, so a question that was answered may be listed once more but is not asked twice. */
async function answerNew(task: Params, answered: Set<string>, { send, answer }: Following): Promise<void> {
  const asked = isObject(task["inputRequests"]) ? Object.entries(task["inputRequests"]) : [];
  const open = asked.filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const inputResponses = await answer(Object.fromEntries(open));
  for (const [key] of open) answered.add(key);
  await send("tasks/update", { taskId: task["taskId"], inputResponses });
}

function toError(error: unknown): Error {
  const { code, message, data }: Params = isObject(error) ? error : {};
  return new ProtocolError(typeof code === "number" ? code : INTERNAL_ERROR, String(message), data);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

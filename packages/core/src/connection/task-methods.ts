import { invalidParams, methodNotFound } from "../jsonrpc/error.ts";
import { isObject } from "../jsonrpc/message.ts";
import type { Result } from "../dispatch/call.ts";
import { requireTasks } from "../features/tasks.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import type { TaskView } from "./tasks.ts";

export function getTask(runtime: ServerRuntime, request: NeutralRequest): MaybePromise<Result> {
  return withTask(runtime, request, (task) => task.detail());
}

export function updateTask(runtime: ServerRuntime, request: NeutralRequest): MaybePromise<Result> {
  const { inputResponses } = request.params;
  return withTask(runtime, request, (task) => {
    if (!isObject(inputResponses)) throw invalidParams("inputResponses must be an object");
    return orNothing(task.answer(inputResponses));
  });
}

/** Cancelling a task that has already ended is not an error: the client could not know. */
export function cancelTask(runtime: ServerRuntime, request: NeutralRequest): MaybePromise<Result> {
  const reason = new Error("The client cancelled the task");
  return withTask(runtime, request, (task) => orNothing(task.cancel(reason)));
}

const orNothing = (done: MaybePromise<void>): MaybePromise<Result> =>
  done instanceof Promise ? done.then(() => ({})) : {};

function withTask(
  { catalog, tasks }: ServerRuntime,
  { method, params, client, route }: NeutralRequest,
  use: (task: TaskView) => MaybePromise<Result>,
): MaybePromise<Result> {
  if (!catalog.hasTasks()) throw methodNotFound(method);
  requireTasks(client);
  const useFound = (task: TaskView | undefined): MaybePromise<Result> => {
    if (task) return use(task);
    throw invalidParams("There is no such task, or it has expired");
  };
  const found = tasks.find(params["taskId"], route.principal);
  return found instanceof Promise ? found.then(useFound) : useFound(found);
}

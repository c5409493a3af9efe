import { invalidParams, methodNotFound } from "../jsonrpc/error.ts";
import { isObject } from "../jsonrpc/message.ts";
import type { Result } from "../dispatch/call.ts";
import { requireTasks } from "../features/tasks.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { Task } from "./task.ts";

export function getTask(runtime: ServerRuntime, request: NeutralRequest): Result {
  return findTask(runtime, request).detail();
}

export function updateTask(runtime: ServerRuntime, request: NeutralRequest): Result {
  const task = findTask(runtime, request);
  const { inputResponses } = request.params;
  if (!isObject(inputResponses)) throw invalidParams("inputResponses must be an object");
  task.answer(inputResponses);
  return {};
}

/** What has ended already is no error: the client could not know. */
export function cancelTask(runtime: ServerRuntime, request: NeutralRequest): Result {
  findTask(runtime, request).cancel(new Error("The client cancelled the task"));
  return {};
}

function findTask(
  { catalog, tasks }: ServerRuntime,
  { method, params, client, route }: NeutralRequest,
): Task {
  if (!catalog.hasTasks()) throw methodNotFound(method);
  requireTasks(client);
  const task = tasks.find(params["taskId"], route.principal);
  if (task) return task;
  throw invalidParams("There is no such task, or it has expired");
}

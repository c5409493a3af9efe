import { MISSING_REQUIRED_CLIENT_CAPABILITY, ProtocolError } from "../jsonrpc/error.ts";
import { isObject } from "../jsonrpc/message.ts";
import { type ClientView, TASKS, TASKS_EXTENSION } from "../model/capabilities.ts";

/** Whether a tool may, or must, be answered with a task. */
export type TaskSupport = "optional" | "required";

export const declaresTasks = ({ capabilities }: ClientView): boolean =>
  isObject(capabilities.extensions?.[TASKS]);

/** Clients that do not declare tasks must not be sent any (SEP-2663 capability negotiation). */
export function requireTasks(client: ClientView): void {
  if (declaresTasks(client)) return;
  throw new ProtocolError(
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    `This needs a client that supports the extension ${TASKS}, which this client has not declared`,
    { requiredCapabilities: { extensions: TASKS_EXTENSION } },
  );
}

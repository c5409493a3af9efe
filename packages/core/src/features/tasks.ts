import { MISSING_REQUIRED_CLIENT_CAPABILITY, ProtocolError } from "../jsonrpc/error.ts";
import { isObject } from "../jsonrpc/message.ts";
import type { ClientView } from "../model/capabilities.ts";

/** The tasks extension (SEP-2663): a call may be answered with a handle, and the client comes back for the result. */
const TASKS = "io.modelcontextprotocol/tasks";

/** As both sides declare it. */
export const TASKS_EXTENSION: { readonly [id: string]: object } = { [TASKS]: {} };

/** Whether a tool may, or must, be answered with a task. */
export type TaskSupport = "optional" | "required";

export const declaresTasks = ({ capabilities }: ClientView): boolean =>
  isObject(capabilities.extensions?.[TASKS]);

/** Nothing about tasks is said to a client that does not know them (SEP-2663 capability negotiation). */
export function requireTasks(client: ClientView): void {
  if (declaresTasks(client)) return;
  throw new ProtocolError(
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    `This needs a client that supports the extension ${TASKS}, and this client has not declared it`,
    { requiredCapabilities: { extensions: TASKS_EXTENSION } },
  );
}

import { isObject, type Params } from "../../jsonrpc/message.ts";

export const isMessage = (value: unknown): boolean => isObject(value) && value["jsonrpc"] === "2.0";

/** Other transports drop a notification with malformed params silently, but HTTP has to answer the POST. */
export const isBrokenNotification = (value: unknown): boolean =>
  isObject(value) && value["id"] === undefined && value["params"] !== undefined && !isObject(value["params"]);

export const isRequest = (value: unknown): value is Params =>
  isObject(value) && typeof value["method"] === "string" && value["id"] !== undefined;

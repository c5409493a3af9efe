import { isObject, type Params } from "../../jsonrpc/message.ts";

export const isMessage = (value: unknown): boolean => isObject(value) && value["jsonrpc"] === "2.0";

/** Elsewhere such a thing is dropped in silence, but here something has to be answered. */
export const isBrokenNotification = (value: unknown): boolean =>
  isObject(value) && value["id"] === undefined && value["params"] !== undefined && !isObject(value["params"]);

export const isRequest = (value: unknown): value is Params =>
  isObject(value) && typeof value["method"] === "string" && value["id"] !== undefined;

import { isObject, type JSONRPCMessage } from "./message.ts";

/** A value whose JSON was already made, to measure or search it: that text is what is sent. */
export class Serialized {
  readonly value: unknown;
  readonly json: string;

  constructor(value: unknown, json: string = JSON.stringify(value)) {
    this.value = value;
    this.json = json;
  }

  /** For a serializer that does not know this class. */
  toJSON(): unknown {
    return this.value;
  }
}

/** JSON of a message. A structured result that is serialized is not serialized again, but put at the end of the result. */
export function toJson(message: JSONRPCMessage | readonly JSONRPCMessage[]): string {
  // What a test or a peer sends may be no result at all.
  if (!("result" in message) || !isObject(message.result)) return JSON.stringify(message);
  const { structuredContent, ...result } = message.result;
  if (!(structuredContent instanceof Serialized)) return JSON.stringify(message);
  const json = JSON.stringify({ jsonrpc: message.jsonrpc, id: message.id, result });
  const comma = json.endsWith("{}}") ? "" : ",";
  return `${json.slice(0, -"}}".length)}${comma}"structuredContent":${structuredContent.json}}}`;
}

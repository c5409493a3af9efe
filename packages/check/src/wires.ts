/** Raw wires to servers: say anything, hear everything, wait no longer than agreed. */
export type { AnswerQuestion, AnyWire, RequestOptions, Transcript } from "./wires/any-wire.ts";
export * from "./wires/asking.ts";
export * from "./wires/calls.ts";
export * from "./wires/child.ts";
export { Hearing } from "./wires/hearing.ts";
export { callHttp, type HttpCall, type HttpCallOptions, type HttpEvent } from "./wires/http-call.ts";
export { HttpWire, JSON_HEADERS, type SendOptions } from "./wires/http-wire.ts";
export { closeLater, closeLeftovers } from "./wires/leftovers.ts";
export * from "./wires/message.ts";
export { lastLinesOf, PATIENCE_MS, until, within } from "./wires/patience.ts";
export { ProgramWire, type ProgramWireOptions, RevisionRefused } from "./wires/program-wire.ts";
export { RemoteWire } from "./wires/remote-wire.ts";
export * from "./wires/revisions.ts";

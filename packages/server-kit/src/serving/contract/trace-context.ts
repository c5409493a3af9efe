/** W3C trace context: version, trace id, parent id, flags. All-zero ids are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

export const readTraceId = (traceparent: unknown): string | undefined =>
  typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;

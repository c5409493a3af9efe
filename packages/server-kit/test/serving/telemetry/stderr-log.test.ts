import { expect, it } from "vitest";

import { createStderrLog, type LogLevel } from "../../../src/serving/telemetry/stderr-log.ts";
import { RecordedIo } from "../program/recorded-io.ts";

const options = {
  name: "app",
  format: "text",
  redact: (data: unknown) => data,
  traceId: () => undefined,
} as const;

it.each<[LogLevel, string[]]>([
  ["debug", ["debug", "info", "warning", "error"]],
  ["info", ["info", "warning", "error"]],
  ["error", ["error"]],
  ["off", []],
])("from %s on", (least, written) => {
  const io = new RecordedIo([]);
  const log = createStderrLog({ ...options, least, output: () => io.stderr });
  for (const level of ["debug", "info", "warning", "error"] as const) log[level]("hello");
  expect(io.err).toBe(written.map((level) => `app: ${level}: hello\n`).join(""));
});

it("as JSON, with the trace that a line belongs to", () => {
  const io = new RecordedIo([]);
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const json = { ...options, format: "json", traceId: () => trace } as const;
  const log = createStderrLog({ ...json, least: "info", output: () => io.stderr });
  log.warning('a "quoted"\nline');
  expect(JSON.parse(io.err)).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    level: "warning",
    name: "app",
    message: 'a "quoted"\nline',
    trace_id: trace,
  });
});

import { expect, it } from "vitest";

import { createStderrLog, type LogLevel } from "../../src/program/stderr-log.ts";
import { RecordedIo } from "./recorded-io.ts";

it.each<[LogLevel, string[]]>([
  ["debug", ["debug", "info", "warning", "error"]],
  ["info", ["info", "warning", "error"]],
  ["error", ["error"]],
  ["off", []],
])("from %s on", (least, written) => {
  const io = new RecordedIo([]);
  const log = createStderrLog({ name: "app", least, redact: (data) => data, output: () => io.stderr });
  for (const level of ["debug", "info", "warning", "error"] as const) log[level]("hello");
  expect(io.err).toBe(written.map((level) => `app: ${level}: hello\n`).join(""));
});

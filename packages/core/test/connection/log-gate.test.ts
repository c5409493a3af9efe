import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LogGate } from "../../src/connection/log-gate.ts";

describe("LogGate", () => {
  it("lets through what is severe enough", () => {
    const gate = new LogGate((data) => data);
    expect(gate.pass({ level: "info", data: 1 }, "warning")).toBeUndefined();
    expect(gate.pass({ level: "warning", data: 1 }, "warning")).toEqual({ level: "warning", data: 1 });
    expect(gate.pass({ level: "emergency", data: 1 }, undefined)).toBeUndefined();
  });

  it("holds back a flood, and says how much of it", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const gate = new LogGate((data) => data);
    const passed = Array.from({ length: 500 }, (_, at) => gate.pass({ level: "error", data: at }, "debug"));
    const through = passed.filter((entry) => entry !== undefined);
    expect(through).toHaveLength(200);
    vi.advanceTimersByTime(100);
    const next = gate.pass({ level: "error", data: "next" }, "debug");
    expect(next).toEqual({ level: "error", data: { message: "next", droppedBefore: 300 } });
    expect(gate.pass({ level: "error", data: "last" }, "debug")).toEqual({ level: "error", data: "last" });
  });

  it("makes something writable of whatever is logged", () => {
    const gate = new LogGate((data) => data);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const through = [new TypeError("no"), cycle, 10n, { big: 10n }, undefined, { at: new Date(0) }].map(
      (data) => gate.pass({ level: "error", data }, "debug")?.data,
    );
    expect(through).toEqual([
      { name: "TypeError", message: "no" },
      "(not serializable as JSON: object)",
      "(not serializable as JSON: bigint)",
      "(not serializable as JSON: object)",
      undefined,
      { at: "1970-01-01T00:00:00.000Z" },
    ]);
  });

  it("counts nothing that nobody wanted", async () => {
    const gate = new LogGate((data) => data);
    for (let count = 0; count < 1000; count += 1) gate.pass({ level: "debug", data: count }, "error");
    expect(gate.pass({ level: "error", data: "first" }, "error")).toEqual({ level: "error", data: "first" });
  });

  it("takes out secrets before anything leaves", () => {
    const gate = new LogGate(
      (data) => JSON.parse(JSON.stringify(data).replaceAll("hunter2", "***")) as unknown,
    );
    expect(gate.pass({ level: "error", data: { password: "hunter2" }, logger: "db" }, "debug")).toEqual({
      level: "error",
      data: { password: "***" },
      logger: "db",
    });
  });
});

import {
  callTool,
  capabilitiesOf,
  isAnswerTo,
  isModern,
  isOf,
  listen,
  type Message,
  META_LOG_LEVEL,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const isLog = isOf("notifications/message");

/** The log messages that come while `log_every_level` runs, with the answer at the end. */
async function logs(wire: Wire, level?: string): Promise<readonly Message[]> {
  const before = wire.heard.length;
  const meta = level === undefined ? {} : { [META_LOG_LEVEL]: level };
  const { result } = await callTool(wire, "log_every_level", {}, { meta });
  expect(result).toBeDefined();
  return wire.heard.slice(before).filter(isLog);
}

const levelsOf = (messages: readonly Message[]): readonly unknown[] =>
  messages.map(({ params }) => params?.["level"]);

verify(
  "logging/capability-declared",
  "declares logging when it sends log messages",
  async ({ shared, revision }) => {
    const wire = await shared();
    expect(await logs(wire, isModern(revision) ? "debug" : undefined)).not.toHaveLength(0);
    expect(await capabilitiesOf(wire)).toHaveProperty("logging", {});
  },
);

verify("logging/set-level-invalid", "refuses an unknown level and keeps the one it had", async ({ open }) => {
  const wire = await open();
  await wire.request("logging/setLevel", { level: "error" });
  for (const params of [{ level: "loud" }, { level: "INFO" }, { level: 3 }, { level: null }, {}]) {
    expect((await wire.request("logging/setLevel", params)).error?.code).toBe(-32602);
  }
  expect(levelsOf(await logs(wire))).toEqual(LEVELS.slice(4));
});

verify("logging/set-level-filters", "sends the set level and above", async ({ open }) => {
  const wire = await open();
  for (const [at, level] of LEVELS.entries()) {
    expect((await wire.request("logging/setLevel", { level })).result).toEqual({});
    expect(levelsOf(await logs(wire))).toEqual(LEVELS.slice(at));
  }
});

verify("logging/silent-without-level", "logs nothing for a request that names no level", async ({ open }) => {
  const wire = await open();
  expect(await logs(wire, "debug")).toHaveLength(8);
  expect(await logs(wire)).toEqual([]);
  await callTool(wire, "log_unprompted", {});
  expect(await wire.quiet(50)).not.toContainEqual(
    expect.objectContaining({ method: "notifications/message" }),
  );
  expect(wire.heard.filter(isLog)).toHaveLength(8);
});

verify("logging/only-for-its-request", "logs before the answer and on no subscription", async ({ open }) => {
  const wire = await open();
  await listen(wire, { toolsListChanged: true });
  const id = wire.send("tools/call", { name: "log_every_level" }, { meta: { [META_LOG_LEVEL]: "debug" } });
  await wire.hear(isAnswerTo(id));
  const silent = await callTool(wire, "log_every_level");
  const places = wire.heard.flatMap((message, at) => (isLog(message) ? [at] : []));
  expect(places).toHaveLength(8);
  expect(Math.max(...places)).toBeLessThan(wire.heard.findIndex(isAnswerTo(id)));
  expect(wire.heard.findIndex(isAnswerTo(silent.id))).toBe(wire.heard.length - 1);
  for (const message of wire.heard.filter(isLog)) expect(subscriptionOf(message)).toBeUndefined();
});

verify(
  "logging/per-request-level-filters",
  "sends the level of the request and above",
  async ({ shared }) => {
    const wire = await shared();
    for (const [at, level] of LEVELS.entries()) {
      expect(levelsOf(await logs(wire, level))).toEqual(LEVELS.slice(at));
    }
  },
);

verify(
  "logging/per-request-level-invalid",
  "refuses a request with an unknown log level",
  async ({ shared }) => {
    const wire = await shared();
    for (const level of ["loud", "DEBUG", "", 1, null]) {
      const { error } = await callTool(wire, "no_arguments", {}, { meta: { [META_LOG_LEVEL]: level } });
      expect(error?.code, String(level)).toBe(-32602);
    }
    expect((await callTool(wire, "no_arguments")).result).toBeDefined();
  },
);

verify(
  "logging/consistent-logger-names",
  "names the same logger every time, and keeps secrets out",
  async ({ shared, revision }) => {
    const wire = await shared();
    const level = isModern(revision) ? "info" : undefined;
    const messages = [...(await logs(wire, level)), ...(await logs(wire, level))];
    expect(messages).toHaveLength(14);
    expect(new Set(messages.map(({ params }) => params?.["logger"]))).toEqual(new Set(["everything.levels"]));
    expect(messages[0]?.params?.["data"]).toEqual({ at: "info", token: "…" });
  },
);

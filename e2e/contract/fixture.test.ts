import {
  callTool,
  CAPABLE,
  converseWithTool,
  isModern,
  type Message,
  type Revision,
  REVISIONS,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { shareServer } from "./program.ts";
import { fixture } from "./servers/fixture.ts";

const ASKABLE = REVISIONS.filter((revision) => revision >= "2025-06-18");

const namesOn = async (wire: Wire): Promise<unknown> =>
  textOf(await callTool(wire, "look"))
    .split("\n")
    .slice(2, -1);

const open = (revision: Revision, args: readonly string[] = []) =>
  shareServer(fixture, args, { revision, capabilities: CAPABLE, env: { SHELF_TOKEN: "hunter2" } });

describe.each(REVISIONS)("in %s", (revision) => {
  it("a failure says its kind and what to do, and no secret", async () => {
    const wire = await open(revision);
    const missing = await callTool(wire, "look", { name: "hamer" });
    expect(textOf(missing)).toBe("There is no hamer.\nDid you mean hammer?");
    expect(errorOf(missing)).toEqual({ code: "not_found", retryable: false, hint: "Did you mean hammer?" });
    const leaked = await callTool(wire, "leak");
    expect(textOf(leaked)).toBe("[hidden] was refused\nNot [hidden].");
    expect(errorOf(leaked)).toEqual({
      code: "unavailable",
      retryable: true,
      hint: "Not [hidden].",
      details: { headers: ["Bearer [hidden]"] },
    });
  });

  it("a resource that is not there is an error of the protocol, with its kind", async () => {
    const wire = await open(revision);
    const { error } = await wire.request("resources/read", { uri: "shelf:///hamer" });
    expect(error).toEqual({
      code: isModern(revision) ? -32602 : -32002,
      message: "There is no hamer. Did you mean hammer?",
      data: {
        uri: "shelf:///hamer",
        "dev.suite/error": { code: "not_found", retryable: false, hint: "Did you mean hammer?" },
      },
    });
  });

  it("a deadline stops the work", async () => {
    const wire = await open(revision);
    const stopped = await callTool(wire, "wait", { ms: 60_000 }, { meta: { "dev.suite/timeoutMs": 30 } });
    expect(errorOf(stopped)).toMatchObject({ code: "timeout", retryable: true, details: { timeoutMs: 30 } });
  });

  it("a repeated write happens once", async () => {
    const wire = await open(revision);
    const meta = { "dev.suite/idempotencyKey": "k1" };
    const put = (text: string): Promise<Message> => callTool(wire, "put", { name: "saw", text }, { meta });
    const first = await put("here");
    expect((await put("here")).result).toEqual(first.result);
    expect(errorOf(await put("there"))).toEqual({
      code: "conflict",
      retryable: false,
      hint: "Take a new key for a new call.",
    });
    expect(errorOf(await callTool(wire, "put", { name: "saw", text: "here" }))).toMatchObject({
      code: "conflict",
    });
  });

  it("what is printed goes to standard error", async () => {
    const wire = await open(revision);
    expect(textOf(await callTool(wire, "print"))).toBe("2 lines");
    await expect.poll(() => wire.stderr).toContain("from console.log\nfrom process.stdout\n");
    expect(wire.rawLines.filter((line) => !line.startsWith('{"jsonrpc":"2.0"'))).toEqual([]);
  });

  it("a dry run asks nobody, and changes nothing", async () => {
    const wire = await open(revision, ["--confirm"]);
    expect(textOf(await callTool(wire, "drop", { name: "hammer", dry_run: true }))).toBe(
      "Would change: hammer\nDry run: nothing was changed.",
    );
    expect(await namesOn(wire)).toEqual(["hammer"]);
  });
});

describe("--confirm", () => {
  it.each(ASKABLE)("asks a person before something is lost, in %s", async (revision) => {
    const wire = await open(revision, ["--confirm"]);
    await callTool(wire, "put", { name: "nail", text: "" });
    const drop = (confirm: boolean) =>
      converseWithTool(
        wire,
        "drop",
        { "elicitation/create": () => ({ action: "accept", content: { confirm } }) },
        { name: "nail" },
      );
    const refused = await drop(false);
    expect(refused.asked.map(({ params }) => params["message"])).toEqual(["Drop nail?"]);
    expect(errorOf(refused.response)).toMatchObject({ code: "cancelled", retryable: false });
    expect(textOf((await drop(true)).response)).toBe("Changed: nail");
  });

  it.each(REVISIONS)("refuses clients that cannot ask, in %s", async (revision) => {
    const wire = await shareServer(fixture, ["--confirm"], { revision });
    expect(errorOf(await callTool(wire, "drop", { name: "hammer" }))).toMatchObject({
      code: "permission_denied",
    });
    expect(await namesOn(wire)).toEqual(["hammer"]);
  });
});

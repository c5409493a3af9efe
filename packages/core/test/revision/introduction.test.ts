import { describe, expect, it } from "vitest";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY, MODERN, REVISIONS } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
import { ALWAYS, createTalkative, fieldsIn, type Since } from "./talkative.ts";

const IMPLEMENTATION: Since = {
  name: ALWAYS,
  version: ALWAYS,
  title: "2025-06-18",
  icons: "2025-11-25",
  description: "2025-11-25",
  websiteUrl: "2025-11-25",
};

const CAPABILITIES: Since = {
  tools: ALWAYS,
  resources: ALWAYS,
  prompts: ALWAYS,
  logging: ALWAYS,
  completions: "2025-03-26",
};

describe.each(LEGACY)("initialize in %s", (revision) => {
  it("introduces the server with what the revision knows", async () => {
    const line = await openLine(createTalkative());
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const result = resultOf(await line.request("initialize", params));
    expect(Object.keys(result).toSorted()).toEqual([
      "capabilities",
      "instructions",
      "protocolVersion",
      "serverInfo",
    ]);
    expect(result).toMatchObject({ protocolVersion: revision, instructions: "Read me" });
    expect(Object.keys(result["serverInfo"] as object).toSorted()).toEqual(
      fieldsIn(revision, IMPLEMENTATION),
    );
    expect(Object.keys(result["capabilities"] as object).toSorted()).toEqual(
      fieldsIn(revision, CAPABILITIES),
    );
  });
});

describe(`server/discover in ${MODERN}`, () => {
  it("introduces the server with everything", async () => {
    const line = await openLine(createTalkative(), { revision: MODERN });
    const result = resultOf(await line.request("server/discover"));
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: REVISIONS.toReversed(),
      instructions: "Read me",
      ttlMs: 60_000,
      cacheScope: "private",
    });
    const { "io.modelcontextprotocol/serverInfo": info } = result["_meta"] as Params;
    expect(Object.keys(info as object).toSorted()).toEqual(fieldsIn(MODERN, IMPLEMENTATION));
    expect(Object.keys(result["capabilities"] as object).toSorted()).toEqual(fieldsIn(MODERN, CAPABILITIES));
  });
});

import { type Fields, HttpWire, type Revision } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTokenIssuer, type TokenIssuer } from "../auth/token-issuer.ts";
import { TOKEN } from "../github/program.ts";
import { GITHUB } from "../support/servers.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { HttpProgram } from "../http/http-program.ts";
import { errorOf } from "../support/calls.ts";
import { PUBLIC, SECRET, STAGE } from "./stage.ts";

const RESOURCE = "https://github.example/mcp";
const COMMENT = "POST /repos/octo/app/issues/1/comments";

const api = await useScriptedApi(STAGE);
let issuer: TokenIssuer;
let program: HttpProgram;
beforeAll(async () => {
  issuer = await startTokenIssuer(RESOURCE);
  const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
  program = await HttpProgram.start(["--api-url", api.url, ...auth], GITHUB, { GITHUB_TOKEN: TOKEN });
});
afterAll(async () => {
  await program.stop();
  await issuer.close();
});

/** Somebody with a token of their own; gives the kind of error that a call ends with. */
async function enter(sub: string, revision: Revision) {
  const headers = { authorization: `Bearer ${issuer.sign({ sub })}` };
  const wire = await HttpWire.open(program.url.href, revision, {}, headers);
  return async (name: string, args: Fields): Promise<unknown> => {
    const sent = await wire.send("tools/call", { name, arguments: args }, { headers });
    const answer = await sent.answer();
    if (answer.error) throw new Error(answer.error.message);
    return errorOf(answer).code;
  };
}

const READ_STRANGER = ["issue_read", { ...PUBLIC, issue_number: 1 }] as const;
const READ_SECRET = ["get_file_contents", { ...SECRET, path: "README.md" }] as const;
const POST = ["add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" }] as const;

describe.each<Revision>(["2025-11-25", "2026-07-28"])("over HTTP, in %s", (revision) => {
  it("what one person has read taints nobody else, and follows them into their next connection", async () => {
    const [ann, bob] = [`ann ${revision}`, `bob ${revision}`];
    const [asAnn, asBob] = [await enter(ann, revision), await enter(bob, revision)];
    expect(await asAnn(...READ_STRANGER)).toBeUndefined();
    expect(await asBob(...READ_SECRET)).toBeUndefined();
    expect([await asAnn(...POST), await asBob(...POST)]).toEqual([undefined, undefined]);
    expect(api.lines().filter((line) => line === COMMENT)).toHaveLength(2);
    const again = await enter(ann, revision);
    expect(await again(...READ_SECRET)).toBeUndefined();
    expect([await again(...POST), await asAnn(...POST)]).toEqual(["permission_denied", "permission_denied"]);
    expect(await asBob(...POST)).toBeUndefined();
    expect(api.lines().filter((line) => line === COMMENT)).toHaveLength(3);
  });
});

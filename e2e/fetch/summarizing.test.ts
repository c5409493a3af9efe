import { faultsIn } from "@suite/check";
import { CAPABLE, converseWithTool, listTools, REVISIONS, textOf } from "@suite/check/wires";
import { beforeAll, describe, expect, it } from "vitest";

import { callFetch, openFetch, reaching } from "./program.ts";
import { openSite } from "./site.ts";
import type { Web } from "./web.ts";

let site: Web;
beforeAll(async () => {
  site = await openSite();
});

describe.each(REVISIONS)("the client's own model, in %s", (revision) => {
  it.each([
    ["offered to a client that can sample", CAPABLE, true],
    ["kept from one that cannot", {}, false],
  ])("is %s, before and after the server is loaded", async (_, capabilities, isOffered) => {
    const wire = await openFetch(reaching(site), { revision, capabilities });
    const isListed = async (): Promise<boolean> =>
      (await listTools(wire)).some(({ name }) => name === "summarize_url");
    const early = await isListed();
    // Nobody can answer this before the server is there.
    await wire.request("prompts/list");
    expect([early, await isListed()]).toEqual([isOffered, isOffered]);
  });

  it("reads a page that it cannot mistake for instructions", async () => {
    const wire = await openFetch(reaching(site), { revision, capabilities: CAPABLE });
    const { response, asked } = await converseWithTool(
      wire,
      "summarize_url",
      {
        "sampling/createMessage": () => ({
          role: "assistant",
          model: "small",
          content: { type: "text", text: "It is a manual." },
        }),
      },
      { url: `${site.origin}/manual`, question: "What is it?" },
    );
    expect(textOf(response)).toMatch(/\/manual, as small sums it up:\n<untrusted-[^]*It is a manual\./);
    const [question] = asked;
    expect(JSON.stringify(question?.params)).toMatch(
      /Answer from this page: What is it\?[^]*<untrusted-[a-z0-9]+>[^]*# Manual/,
    );
    expect(JSON.stringify(question?.params)).not.toContain("Ignore all previous");
    expect(faultsIn(wire)).toEqual([]);
  });
});

it("without a model to lend, a client is told what to do instead", async () => {
  const wire = await openFetch(reaching(site));
  const { isError, error } = await callFetch(wire, "summarize_url", { url: `${site.origin}/manual` });
  expect([isError, error.code, error.hint]).toEqual([
    true,
    "unsupported",
    "Read the page with fetch and summarize it yourself.",
  ]);
});

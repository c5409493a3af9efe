import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { openGithub, tryTool } from "./program.ts";
import type { ReceivedRequest, ScriptedReply } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

interface Recording {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly response: unknown;
}

const folder = dirname(createRequire(import.meta.url).resolve("@octokit/fixtures/package.json"));
/** These are of the connection it was recorded on. */
const OF_THE_WAY = /^(connection|content-encoding|content-length|transfer-encoding)$/;

/** What GitHub once answered in a scenario. */
function recorded(scenario: string): readonly Recording[] {
  const file = join(folder, "scenarios/api.github.com", scenario, "normalized-fixture.json");
  return JSON.parse(readFileSync(file, "utf8")) as Recording[];
}

/** As GitHub says it: again in full, or that nothing has changed. */
function replay({ status, headers, response }: Recording, asked: ReceivedRequest): ScriptedReply {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_WAY.test(name)));
  const isKnown = headers["etag"] !== undefined && asked.headers["if-none-match"] === headers["etag"];
  return isKnown ? { status: 304, headers: kept } : { status, headers: kept, body: response };
}

const api = await useScriptedApi();

it("pages are followed as GitHub's own links say, and asked for again with its ETags", async () => {
  const pages = recorded("paginate-issues");
  const owner = "octokit-fixture-org";
  api.script = {
    [`GET /repos/${owner}/paginate-issues/issues`]: (asked) => {
      const page = Number(new URLSearchParams(asked.path.split("?")[1]).get("page") ?? 1);
      return replay(pages[page - 1] as Recording, asked);
    },
  };
  const wire = await openGithub(api.url);
  const readAll = async (): Promise<readonly unknown[]> => {
    const numbers: unknown[] = [];
    for (let cursor: unknown; ;) {
      const args = { owner, repo: "paginate-issues", limit: 3, ...(cursor !== undefined && { cursor }) };
      const { structured } = await tryTool(wire, "list_issues", args);
      numbers.push(...(structured["items"] as { number: number }[]).map(({ number }) => number));
      cursor = structured["next_cursor"];
      if (cursor === undefined) return numbers;
    }
  };
  const all = Array.from({ length: 13 }, (_, index) => 13 - index);
  expect(await readAll()).toEqual(all);
  expect(await readAll()).toEqual(all);
  const conditional = api.asked.map(({ headers }) => headers["if-none-match"] !== undefined);
  // By number, the page with the last issue is read again before the next one.
  const first = [false, ...Array.from({ length: 4 }, () => [true, false]).flat()];
  expect(conditional).toEqual([...first, ...first.map(() => true)]);
});

it("scopes and quotas are what GitHub's headers say, and a refusal is explained", async () => {
  const [list] = recorded("labels");
  const [refusal] = recorded("errors");
  api.script = {
    "GET /repos/octokit-fixture-org/labels/labels": (asked) => replay(list as Recording, asked),
    "POST /repos/octokit-fixture-org/errors/labels": (asked) => replay(refusal as Recording, asked),
    "GET /rate_limit": {
      body: { resources: { core: { limit: 5000, remaining: 4999, reset: 1_507_651_200 } } },
    },
  };
  const wire = await openGithub(api.url, ["--toolsets", "all"]);
  const repo = { owner: "octokit-fixture-org", repo: "labels" };
  const labels = await tryTool(wire, "list_label", repo);
  expect(labels.structured["items"]).toContainEqual(
    expect.objectContaining({ name: "bug", color: "d73a4a" }),
  );
  const quota = await tryTool(wire, "get_rate_limit");
  expect(JSON.stringify(quota.structured)).toMatch(/delete_repo.*notifications.*4999|4999.*delete_repo/);
  const refused = await tryTool(wire, "label_write", {
    ...repo,
    repo: "errors",
    method: "create",
    name: "x",
    color: "ffffff",
  });
  expect(refused.error?.["code"]).toBe("invalid_input");
  expect(refused.text).toMatch(/color/);
});

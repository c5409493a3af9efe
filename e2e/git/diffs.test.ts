import { rmSync } from "node:fs";
import { join } from "node:path";

import { textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { numbered, openHistory } from "./history.ts";
import type { Repository } from "./program.ts";

interface Diff {
  readonly note?: string;
  readonly files?: readonly { readonly path: string; readonly change: string; readonly added?: number }[];
  readonly diff: string;
  readonly next_cursor?: string;
}

/** All pages of a diff, put together. */
async function collect(
  works: Repository["works"],
  tool: string,
  args: object,
): Promise<{ text: string; pages: number }> {
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Diff = await works(tool, { ...args, ...(cursor !== undefined && { cursor }) });
    parts.push(page.diff);
    cursor = page.next_cursor;
  } while (cursor !== undefined && parts.length < 100);
  return { text: parts.join("\n"), pages: parts.length };
}

describe("status and diffs", () => {
  it("say what git says", async () => {
    const { plain, call, works } = await openHistory();
    plain.write("a.txt", numbered(40, { 3: "three", 20: "main", 38: "end" }));
    plain.git("rm", "-q", "src/one.ts");
    plain.write("src/new.ts", "new\n");
    plain.git("mv", "latin.txt", "iso.txt");
    const status = await works("git_status", { untracked: "all" });
    expect(status).toMatchObject({
      branch: "main",
      head: plain.git("rev-parse", "--short=10", "HEAD"),
      staged: [
        { path: "iso.txt", change: "renamed", from: "latin.txt" },
        { path: "src/one.ts", change: "deleted" },
      ],
      unstaged: [{ path: "a.txt", change: "modified" }],
      untracked: ["src/new.ts"],
    });
    for (const name of ["operation", "conflicts"]) expect(status).not.toHaveProperty(name);
    const unstaged: Diff = await works("git_diff_unstaged");
    expect(unstaged.diff).toBe(plain.git("diff"));
    expect(unstaged.files).toEqual([{ path: "a.txt", change: "modified", added: 2, removed: 2 }]);
    expect((await works<Diff>("git_diff_staged")).diff).toBe(plain.git("diff", "--cached", "-M"));
    const wide: Diff = await works("git_diff_unstaged", { context_lines: 0, paths: ["a.txt"] });
    expect(wide.diff).toBe(plain.git("diff", "-U0", "a.txt"));
    const none: Diff = await works("git_diff_unstaged", { paths: ["src"] });
    expect(none).toEqual({ diff: "" });
    expect(textOf(await call("git_diff_unstaged", { paths: ["src"] }))).toBe("No differences.");
    const untouched = { revision: "HEAD", paths: ["src/one.ts"] };
    expect(textOf(await call("git_show", untouched))).toMatch(/\nNo differences\.\n.*git_read_file/);
    for (let index = 0; index < 99; index += 1) plain.write(`${index}`, "");
    const many = textOf(await call("git_status", { max_bytes: 1000 }));
    expect(many).toMatch(/\nunstaged modified: a\.txt\nuntracked:\n {2}0\n {2}1\n/);
    expect(many).toMatch(
      /\n\d+ files are left out\. Ask again with a larger max_bytes, or untracked: "no"\.$/,
    );
  });

  it("compare revisions with two dots and three", async () => {
    const { plain, works } = await openHistory();
    for (const target of ["main..feature", "main...feature", "v1", "v1..", "..feature"]) {
      const range = target.endsWith("..")
        ? `${target}HEAD`
        : target.startsWith("..")
          ? `HEAD${target}`
          : target;
      expect((await collect(works, "git_diff", { target })).text, target).toBe(
        toText(plain.bytes("-c", "core.quotePath=false", "diff", "-M", range)),
      );
    }
    const stat: Diff = await works("git_diff", { target: "v1..main", stat_only: true });
    expect(stat).not.toHaveProperty("diff");
    expect(stat.files?.find(({ change }) => change === "renamed")).toEqual({
      path: "new name.txt",
      from: "old name.txt",
      change: "renamed",
      added: 0,
      removed: 0,
    });
    expect(stat.files?.find(({ path }) => path === "blob.bin")).toEqual({
      path: "blob.bin",
      change: "added",
    });
  });

  it("come in pages that make the whole, within the budget in both views", async () => {
    const { plain, call, works, fails } = await openHistory();
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`many/${at}.txt`, numbered(50)]));
    plain.commit("many", files);
    const args = { target: "HEAD~1..HEAD", max_bytes: 6000 };
    const { text, pages } = await collect(works, "git_diff", args);
    expect(pages).toBeGreaterThan(3);
    expect(text).toBe(plain.git("diff", "-M", "HEAD~1..HEAD"));
    const { result } = await call("git_diff", args);
    expect(JSON.stringify(result?.["structuredContent"]).length).toBeLessThanOrEqual(6000);
    expect(textOf({ result } as never).length).toBeLessThanOrEqual(6000);
    expect(textOf({ result } as never)).toMatch(/\nTruncated\. Continue with cursor: "[^"]{1,24}"\.$/);
    expect((await fails("git_diff", { target: "v1", cursor: "nonsense" })).code).toBe("invalid_input");
  });

  it("cut a file that would fill the page, and go on with the next", async () => {
    const { plain, works } = await openHistory();
    const message = `large\n\n${"word ".repeat(8000)}`;
    plain.commit(message, { "a-small.txt": "s\n", "b-large.txt": numbered(5000), "c-small.txt": "c\n" });
    type Cut = Diff & { readonly cut: string[]; readonly commit: { readonly body: string } };
    const page = await works<Cut>("git_show", { revision: "HEAD" });
    expect(page.commit.body).toMatch(/ word w?o?r?d? ?…$/);
    expect(page.cut).toEqual(["b-large.txt"]);
    expect(page.diff).toContain("+++ b/c-small.txt");
    const alone = await collect(works, "git_show", { revision: "HEAD", paths: ["b-large.txt"] });
    expect(alone.text).toBe(plain.git("diff", "HEAD~1..HEAD", "--", "b-large.txt"));
    // Its name is the file's, however it has gone, and whatever its lines begin with.
    plain.commit("comments", {
      "b-large.txt": numbered(5000).replaceAll("line", "-- line"),
      "d e.txt": numbered(5000),
    });
    rmSync(join(plain.root, "b-large.txt"));
    plain.commit("gone", { "a-small.txt": "t\n", "d e.txt": "" });
    const gone = await works<Cut>("git_show", { revision: "HEAD" });
    expect(gone.cut).toEqual(["b-large.txt"]);
    const rest = await works<Cut>("git_show", { revision: "HEAD", cursor: gone.next_cursor });
    expect(rest.cut).toEqual(["d e.txt"]);
    plain.commit("wide", { "wide.txt": `${"x".repeat(300_000)}\n` });
    const head = await works<Cut>("git_show", { revision: "HEAD" });
    const wide = await works<Cut>("git_show", { revision: "HEAD", cursor: head.next_cursor });
    expect(wide.cut).toEqual(["wide.txt"]);
    expect(await works("git_read_file", { path: "wide.txt" })).toMatchObject({
      cut: true,
      note: "This line does not fit, and was cut: raise max_bytes.",
    });
  });
});

/** As the server shows bytes: line by line, Latin-1 where a line is not UTF-8. */
function toText(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const raw = Buffer.from(line, "latin1");
      const text = raw.toString();
      return Buffer.from(text).equals(raw) ? text : line;
    })
    .join("\n");
}

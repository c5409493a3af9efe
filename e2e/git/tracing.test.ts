import { type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { openRepository, Plain, type Repository } from "./program.ts";

/** Sixteen commits on main, the eleventh of which breaks limit.txt; two of them change line 2 of a file that is renamed between. */
const sharedTraced = oncePerFile(() => {
  const plain = Plain.init();
  plain.commit("begin", { "old.txt": "one\ntwo\nthree\n", "limit.txt": "0\n" });
  plain.git("tag", "v1");
  for (let step = 1; step < 16; step += 1) {
    if (step === 3) plain.git("mv", "old.txt", "new.txt");
    const name = step < 3 ? "old.txt" : "new.txt";
    const line = { 2: "TWO", 5: "zwei" }[step];
    const files = line === undefined ? {} : { [name]: `first, ${step}\none\n${line}\nthree\n` };
    plain.commit(`step ${step}`, { ...files, "limit.txt": `${step < 11 ? step : 100 + step}\n` });
  }
  return plain;
});

const openTraced = (): Promise<Repository> => openRepository((root) => sharedTraced().copyTo(root));

describe("git_log", () => {
  it("shows what commits changed with patch, and says what is cut", async () => {
    const { plain, call, works } = await openTraced();
    const args = { max_count: 2, patch: true, paths: ["limit.txt"] };
    const { commits } = await works<{ commits: Fields[] }>("git_log", args);
    expect(commits.map(({ diff }) => diff)).toEqual(
      ["HEAD", "HEAD~1"].map((at) => plain.git("show", "--format=", at, "--", "limit.txt")),
    );
    const text = textOf(await call("git_log", args));
    expect(text).toContain("-114\n+115");
    plain.commit("long", { "long.txt": "a long line of text\n".repeat(5000) });
    const cut = await works("git_log", { max_count: 3, patch: true, max_bytes: 4000 });
    expect(cut).toMatchObject({ commits: [{ cut: true }, { subject: "step 15" }, {}] });
    expect(JSON.stringify(cut).length).toBeLessThan(4000);
  });

  it("follows lines of one file across renames, and refuses lines that are not there", async () => {
    const { works, fails } = await openTraced();
    const lines = { paths: ["new.txt"], start_line: 3, end_line: 3 };
    const { commits } = await works<{ commits: Fields[] }>("git_log", { ...lines, patch: true });
    expect(commits.map(({ subject }) => subject)).toEqual(["step 5", "step 2", "begin"]);
    expect(commits[0]?.["diff"]).toContain("-TWO\n+zwei");
    expect(commits[0]?.["diff"]).not.toContain("first");
    const skipped = await works<{ commits: Fields[] }>("git_log", {
      ...lines,
      skip: 1,
      patch: true,
    });
    expect(skipped.commits.map(({ subject, diff }) => [subject, String(diff).includes("+TWO")])).toEqual([
      ["step 2", true],
      ["begin", false],
    ]);
    for (const [args, code] of [
      [{ ...lines, start_line: 50, end_line: 50 }, "invalid_input"],
      [{ ...lines, paths: ["none.txt"] }, "not_found"],
      [{ ...lines, paths: [] }, "invalid_input"],
      [{ ...lines, all: true }, "invalid_input"],
    ] as const)
      expect((await fails("git_log", args)).code, JSON.stringify(args)).toBe(code);
  });

  it("says how many commits there are, where that is known", async () => {
    const { call, works } = await openTraced();
    const headings = [
      [{ max_count: 4 }, "First 4 of 16 commits:"],
      [{ max_count: 4, skip: 4 }, "5-8 of 16 commits:"],
      [{ max_count: 40, skip: 10 }, "11-16 of 16 commits:"],
      [{ max_count: 40 }, "16 commits:"],
      [{ max_count: 4, range: "v1.." }, "First 4 of 15 commits:"],
      [{ max_count: 4, grep: "step" }, "First 4 of more than 4 commits:"],
    ] as const;
    for (const [args, heading] of headings)
      expect(textOf(await call("git_log", args)).split("\n")[0]).toBe(heading);
    expect(await works("git_log", { max_count: 4 })).toMatchObject({ total: 16, next_skip: 4 });
  });
});

describe("git_bisect", () => {
  const isBad = (plain: Plain, commit: string): boolean =>
    Number(plain.git("show", `${commit}:limit.txt`)) > 100;

  it.each([false, true])("finds the first bad commit (checkout: %s), and can be undone", async (checkout) => {
    const { plain, works } = await openTraced();
    const known = { bad: "main", good: ["v1"] };
    let calls = 0;
    let found: Fields = {};
    for (; calls < 10 && found["first_bad"] === undefined; calls += 1) {
      found = await works("git_bisect", { ...known, checkout });
      const { commit } = (found["next"] ?? {}) as { commit?: string };
      if (commit === undefined) continue;
      expect(plain.git("rev-parse", "HEAD").startsWith(commit)).toBe(checkout);
      if (isBad(plain, commit)) known.bad = commit;
      else known.good = [...known.good, commit];
    }
    expect(found["first_bad"]).toMatchObject({ subject: "step 11" });
    expect(calls).toBeLessThanOrEqual(5);
    const moves = checkout ? calls - 1 : 0;
    for (let undone = 0; undone < moves; undone += 1) await works("git_undo", { id: "last" });
    expect(plain.git("status", "--porcelain", "-b")).toBe("## main");
  });

  it("leaves out what is skipped, names what is left then, and keeps to paths", async () => {
    const { plain, works, fails } = await openTraced();
    const id = (at: string): string => plain.git("rev-parse", at);
    const among = { bad: "main~2", good: ["main~5"] };
    expect(await works("git_bisect", { ...among, skip: [id("main~3"), id("main~4")] })).toMatchObject({
      left: 3,
      undecided: [{ subject: "step 13" }, {}, {}],
    });
    const paths = { bad: "main", good: ["v1"], paths: ["old.txt", "new.txt"] };
    const { next, left } = await works("git_bisect", paths);
    expect(["step 2", "step 3", "step 5"]).toContain((next as Fields)["subject"]);
    expect(left).toBe(4);
    plain.git("branch", "other", "v1");
    plain.git("switch", "-q", "other");
    plain.commit("apart", {});
    const apart = await fails("git_bisect", { bad: "main", good: ["other"] });
    expect(apart).toMatchObject({ code: "precondition_failed" });
    expect(apart.hint).toContain(id("v1").slice(0, 10));
    expect((await fails("git_bisect", { bad: "v1", good: ["v1"] })).code).toBe("invalid_input");
  });
});

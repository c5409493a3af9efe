import { chmodSync, readFileSync, statSync } from "node:fs";
import { etagOf } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { editFile } from "../../../src/domain/editing/edit-file.ts";
import { Scratch } from "../writing/scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const edit = (input: Parameters<typeof editFile>[1]): ReturnType<typeof editFile> =>
  editFile(scratch.request(), input);

const edits = [{ oldText: "two", newText: "2" }];

describe("editing a file", () => {
  needs(it, "file modes")("keeps byte order mark, line ends, mode and the missing newline", async () => {
    const path = scratch.write("a.txt", "\uFEFFone\r\ntwo\r\nthree");
    chmodSync(path, 0o755);
    const result = await edit({ path, edits: [{ oldText: "two\n", newText: "2\n2½\n" }] });
    expect(readFileSync(path, "utf8")).toBe("\uFEFFone\r\n2\r\n2½\r\nthree");
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(result.etag).toBe(etagOf(readFileSync(path)));
    expect(result.diff).toContain("-two\n+2\n+2½\n");
    expect(result.changed).toEqual([path]);
  });

  it("gives the diff alone in a dry run", async () => {
    const path = scratch.write("a", "one\ntwo\n");
    const result = await editFile(scratch.request(true), { path, edits });
    expect(result).toMatchObject({ changed: [path], etag: etagOf(Buffer.from("one\ntwo\n")) });
    expect(result.diff).toContain("-two\n+2\n");
    expect(scratch.read("a")).toBe("one\ntwo\n");
  });

  it("changes nothing where the new text is the old", async () => {
    const path = scratch.write("a", "two");
    const result = await edit({ path, edits: [{ oldText: "two", newText: "two" }] });
    expect(result).toMatchObject({ changed: [], diff: "" });
  });

  it("cuts a diff that is too long, and says so", async () => {
    const path = scratch.write("a", `two\n${"x".repeat(100_000)}`);
    const result = await editFile(scratch.request(true), {
      path,
      edits: [...edits, { oldText: "x".repeat(100), newText: "y", replace_all: true }],
    });
    expect(result.truncated).toBe(true);
    expect(result.diff?.length).toBeLessThanOrEqual(32 * 1024);
  });
});

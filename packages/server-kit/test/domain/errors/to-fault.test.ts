import { mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { needs } from "@suite/core/testing";
import { afterAll, describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { toAbortFault, toFault } from "../../../src/domain/errors/to-fault.ts";

const folder = mkdtempSync(join(tmpdir(), "to-fault-"));
writeFileSync(join(folder, "file"), "");
afterAll(() => rmSync(folder, { recursive: true }));

async function catchFrom(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const withCode = (code: string): Error =>
  Object.assign(new Error(`${code}: words of Node, open '/inner/secret'`), { code, path: "/inner/secret" });

it("lets a fault pass", () => {
  const fault = new Fault("conflict", "Taken");
  expect(toFault(fault, "notes.txt")).toBe(fault);
});

describe("what the file system really throws", () => {
  type Row = [what: string, act: () => unknown, code: string, message: string];

  async function isTold(_what: string, act: () => unknown, code: string, message: string): Promise<void> {
    const thrown = await catchFrom(act);
    expect(toFault(thrown, "notes.txt")).toMatchObject({ code, message, cause: thrown });
  }

  it.each<Row>([
    ["a missing file", () => readFileSync(join(folder, "none")), "not_found", "notes.txt does not exist"],
    ["a folder read as a file", () => readFileSync(folder), "invalid_input", "notes.txt is a directory"],
    ["an existing folder made", () => mkdir(folder), "conflict", "notes.txt exists already"],
    ["a full folder removed", () => rmdirSync(folder), "conflict", "notes.txt is not empty"],
  ])("%s", isTold);

  needs(it, "exact errors").each<Row>([
    [
      "a file as a folder",
      () => readFileSync(join(folder, "file", "x")),
      "invalid_input",
      "notes.txt is not a directory, or is below a file",
    ],
    [
      "a name that is too long",
      () => openSync(join(folder, "x".repeat(300)), "w"),
      "invalid_input",
      "notes.txt has too long a name",
    ],
  ])("%s", isTold);
});

it.each([
  ["EACCES", "permission_denied", false],
  ["EPERM", "permission_denied", false],
  ["EROFS", "permission_denied", false],
  ["ENOTEMPTY", "conflict", false],
  ["EINVAL", "invalid_input", false],
  ["ELOOP", "invalid_input", false],
  ["ENOSPC", "unavailable", false],
  ["EDQUOT", "unavailable", false],
  ["EFBIG", "too_large", false],
  ["EMFILE", "unavailable", true],
  ["ENFILE", "unavailable", true],
  ["EBUSY", "unavailable", true],
  ["EAGAIN", "unavailable", true],
  ["ETIMEDOUT", "timeout", true],
  ["ECONNREFUSED", "unavailable", true],
  ["EXDEV", "unsupported", false],
])("%s is %s", (errno, code, retryable) => {
  const fault = toFault(withCode(errno), "notes.txt");
  expect(fault).toMatchObject({ code, retryable });
  expect(fault.message).toMatch(/^notes\.txt /);
  expect(`${fault.message} ${fault.hint}`).not.toMatch(/inner|secret|words|E[A-Z]{3}/);
});

it.each(["EMFILE", "ENFILE", "EBUSY", "EAGAIN"])("says when to try again after %s", (errno) => {
  expect(toFault(withCode(errno)).retryAfterMs).toBe(1000);
});

it("knows no name where none was given", () => {
  expect(toFault(withCode("ENOENT"))).toMatchObject({
    message: "What was asked for does not exist",
    // Not every server has a tool that lists.
    hint: "Check the name and its directory.",
  });
});

it("keeps a hostile name on one line, and visible", () => {
  expect(toFault(withCode("ENOENT"), "a\u202Eb\nDo this").message).toBe(
    String.raw`a\u{202E}b\nDo this does not exist`,
  );
});

it.each([
  ["an error", new Error("password=1 in /inner/path")],
  ["an error with a code of its own", withCode("SQLITE_CORRUPT")],
  ["a code that every object has", withCode("constructor")],
  ["a code that is no text", Object.assign(new Error("x"), { code: 5 })],
  ["a string", "ENOENT"],
  ["an object", { code: "ENOENT" }],
])("gives nothing away of %s", (_name, thrown) => {
  const fault = toFault(thrown, "notes.txt");
  expect(fault).toMatchObject({ code: "internal", retryable: false, cause: thrown });
  expect(fault.message).toBe(
    "Something went wrong inside the server; its operator can see the details in the log",
  );
  expect(fault.hint).toBeUndefined();
});

describe("work that was stopped", () => {
  const reason = new Fault("timeout", "Too slow");

  it("is cancelled if nothing else is said", async () => {
    const thrown = await catchFrom(() => sleep(1000, undefined, { signal: AbortSignal.abort() }));
    expect(toFault(thrown)).toMatchObject({
      code: "cancelled",
      message: "The call was cancelled",
      cause: thrown,
    });
  });

  it("fails with the fault that stopped it", async () => {
    const signal = AbortSignal.abort(reason);
    expect(toFault(await catchFrom(() => sleep(1000, undefined, { signal })))).toBe(reason);
    expect(toFault(await catchFrom(() => readFile(join(folder, "file"), { signal })))).toBe(reason);
    expect(toFault(await catchFrom(() => signal.throwIfAborted()))).toBe(reason);
  });

  it("is out of time after a timeout", async () => {
    const signal = AbortSignal.timeout(1);
    const thrown = await catchFrom(() => sleep(5000, undefined, { signal }));
    expect(toFault(thrown)).toMatchObject({ code: "timeout", cause: thrown });
    expect(toFault(signal.reason).code).toBe("timeout");
  });

  it.each([
    ["an error", new Error("The client cancelled the request")],
    ["a text", "enough"],
    ["a system error", withCode("ENOENT")],
  ])("is cancelled when the signal's reason is %s", (_name, cause) => {
    expect(toAbortFault(AbortSignal.abort(cause))).toMatchObject({ code: "cancelled", cause });
  });

  it("fails with the signal's own fault", () => {
    expect(toAbortFault(AbortSignal.abort(reason))).toBe(reason);
    expect(toAbortFault(AbortSignal.abort()).code).toBe("cancelled");
  });
});

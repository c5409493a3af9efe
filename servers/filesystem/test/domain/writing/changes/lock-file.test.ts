import fs, { existsSync, lstatSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { removeBreaker, takeLock } from "../../../../src/domain/writing/changes/lock-file.ts";
import { createProcessMark } from "../../../../src/domain/writing/changes/process-mark.ts";
import { Scratch } from "../scratch.ts";

const owner = createProcessMark(process.pid);
const ended = { ...owner, pid: 0x7f_ff_ff_fe };
const signal = new AbortController().signal;

describe("a lock", () => {
  it("is for one at a time, and everybody gets a turn", async () => {
    const path = new Scratch().at("x.lock.suite-tmp");
    let [inside, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const release = await takeLock({ path, about: "x", owner, signal });
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 2));
        inside -= 1;
        release();
      }),
    );
    expect(most).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  needs(it, "symbolic links")("leads nowhere, and says whose it is", async () => {
    const path = new Scratch().at("x.lock.suite-tmp");
    const release = await takeLock({ path, about: "x", owner, signal });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(existsSync(path)).toBe(false);
    release();
  });

  needs(it, "symbolic links")("is not released by somebody whose lock it is not any more", async () => {
    const path = new Scratch().at("x.lock.suite-tmp");
    const release = await takeLock({ path, about: "x", owner: ended, signal });
    const second = await takeLock({ path, about: "x", owner, signal });
    release();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    second();
  });

  needs(it, "symbolic links")("is broken again where somebody was ended while breaking it", async () => {
    const scratch = new Scratch();
    const [path, breaker] = [scratch.at("x.lock.suite-tmp"), scratch.at("x.lock.b.suite-tmp")];
    for (const lock of [path, breaker]) symlinkSync(JSON.stringify(ended), lock);
    const release = await takeLock({ path, about: "x", owner, signal });
    release();
    expect(scratch.leftovers()).toEqual([]);
    symlinkSync(JSON.stringify(ended), breaker);
    removeBreaker(path, owner);
    expect(scratch.leftovers()).toEqual([]);
    symlinkSync(JSON.stringify(createProcessMark(process.ppid)), breaker);
    removeBreaker(path, owner);
    expect(scratch.leftovers()).toEqual(["x.lock.b.suite-tmp"]);
  });

  needs(it, "symbolic links")("is removed only where it is still the one that was left", async () => {
    const scratch = new Scratch();
    const [path, breaker] = [scratch.at("x.lock.suite-tmp"), scratch.at("x.lock.b.suite-tmp")];
    const { symlinkSync: link, unlinkSync: unlink } = fs;
    onTestFinished(() => {
      Object.assign(fs, { symlinkSync: link, unlinkSync: unlink });
      syncBuiltinESMExports();
    });
    link(JSON.stringify(ended), path);
    const stolen: string[] = [];
    Object.assign(fs, {
      // Another process clears the old lock away just before this one may,
      symlinkSync(target: string, at: string) {
        link(target, at);
        if (at === breaker) unlink(path);
      },
      // and a third would have taken it by the time this one does.
      unlinkSync(at: string) {
        if (!lstatSync(at, { throwIfNoEntry: false })) stolen.push(at);
        else unlink(at);
      },
    });
    syncBuiltinESMExports();
    const release = await takeLock({ path, about: "x", owner, signal });
    expect(stolen).toEqual([]);
    release();
    expect(scratch.leftovers()).toEqual([]);
  });

  it("without a name counts for a moment only", async () => {
    const path = new Scratch().at("x.lock.suite-tmp");
    writeFileSync(path, "");
    const soon = takeLock({ path, about: "x", owner, signal: AbortSignal.timeout(50) });
    await expect(soon).rejects.toMatchObject({ code: "timeout" });
    utimesSync(path, 1, 1);
    const release = await takeLock({ path, about: "x", owner, signal });
    release();
  });

  it("of another machine counts for minutes", async () => {
    const path = new Scratch().at("x.lock.suite-tmp");
    writeFileSync(path, JSON.stringify({ ...owner, host: "elsewhere" }));
    const soon = takeLock({ path, about: "x", owner, signal: AbortSignal.timeout(50) });
    await expect(soon).rejects.toMatchObject({ code: "timeout" });
    utimesSync(path, 1, 1);
    const release = await takeLock({ path, about: "x", owner, signal });
    release();
  });
});

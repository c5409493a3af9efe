import { expect, it, onTestFinished, vi } from "vitest";
import { BenchFailure } from "../measure/failure.ts";
import type { SuiteOptions } from "../suite.ts";
import { run } from "./suite.ts";

it("says which program it needs", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", "/nowhere");
  await expect(run({} as SuiteOptions)).rejects.toEqual(new BenchFailure("redis-server is not on the PATH"));
});

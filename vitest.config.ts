import type { ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What installs packages, visits every server or repeats itself for minutes. Last, it would keep one core waiting for the other. */
const SLOW = /\/e2e\/(?:registry|bed)\/|\.soak\.test\.ts$/;

/** Limits that only a test which hangs reaches: a busy machine must not decide. */
const PATIENT = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
};

/**
 * Files share a worker and its modules, because loading them anew for each took a third of the time; so every file must leave its
 * worker as it found it. Much of the time goes by in waiting for processes: three workers keep two cores busy.
 */
const SHARED = { isolate: false, maxWorkers: 3 };

/**
 * Where this is set, every Node.js process reads all those certificates before anything else, which takes longer than the rest of
 * its start. Only what reaches beyond this machine needs them (`e2e/support/network.ts`).
 */
const LOCAL = { NODE_EXTRA_CA_CERTS: "", TESTS_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "" };

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default {
  test: {
    watch: false,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: ["scripts/fixed-seed.ts"],
          env: LOCAL,
          include: ["{packages,servers}/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
          ...PATIENT,
          ...SHARED,
          // They wait more than the others.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "e2e",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          env: LOCAL,
          include: ["e2e/**/*.test.ts"],
          exclude: ["**/node_modules/**", "e2e/dist/**"],
          ...PATIENT,
          ...SHARED,
        },
      },
      {
        test: {
          name: "soak",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          // Kill loops, races, load: `npm test` runs them too, as long as it takes to see them hold.
          include: ["e2e/**/*.soak.test.ts"],
          exclude: ["**/node_modules/**", "e2e/dist/**"],
          env: { ...LOCAL, SUITE_SOAK: "1" },
          ...PATIENT,
          ...SHARED,
          testTimeout: 900_000,
          // What repeats itself for minutes should have a core to itself.
          maxWorkers: 2,
        },
      },
    ],
  },
} satisfies ViteUserConfig;

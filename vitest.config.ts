import type { ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that take long for the size of their file, by which the others are sorted. At the end, they would leave the other core idle. */
const SLOW = /\/e2e\/(?:registry|bed|bench|conformance)\/|\/changes\/crash\.test\.ts$|\.soak\.test\.ts$/;

/** Time-outs that only a hanging test reaches: a busy machine must not make tests fail. */
const PATIENT = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
};

/**
 * Files share a worker and its modules, because loading them again for each file took a third of the time; so every file must
 * leave its worker as it found it. Tests mostly wait for processes: three workers keep two cores busy.
 */
const SHARED = { isolate: false, maxWorkers: 3 };

/**
 * If NODE_EXTRA_CA_CERTS is set, every Node.js process reads those certificates first, which takes longer than the rest of
 * its start. Only tests that reach beyond this machine need them (`e2e/support/network.ts`).
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
          // These tests wait more than the others.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "e2e",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          env: LOCAL,
          include: ["e2e/**/*.test.ts"],
          // Building the site and an image and running every benchmark take minutes, however small: only in the soak.
          exclude: [
            "**/node_modules/**",
            "e2e/dist/**",
            "e2e/docs/site.soak.test.ts",
            "e2e/bench/suites.soak.test.ts",
            "e2e/deploy/images.soak.test.ts",
          ],
          ...PATIENT,
          ...SHARED,
        },
      },
      {
        test: {
          name: "soak",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          // Kill loops, races, load. `npm test` runs them too, but only briefly.
          include: ["e2e/**/*.soak.test.ts"],
          exclude: ["**/node_modules/**", "e2e/dist/**"],
          env: { ...LOCAL, SUITE_SOAK: "1" },
          ...PATIENT,
          ...SHARED,
          testTimeout: 900_000,
          // Tests that run for minutes should have a core each.
          maxWorkers: 2,
        },
      },
    ],
  },
} satisfies ViteUserConfig;

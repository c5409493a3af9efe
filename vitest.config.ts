import type { ViteUserConfig } from "vitest/config";

export default {
  test: {
    watch: false,
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: ["scripts/fixed-seed.ts"],
          include: ["{packages,servers}/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
          // Property tests and real processes: a busy machine must not decide.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "e2e",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          include: ["e2e/**/*.test.ts"],
          exclude: ["**/node_modules/**", "e2e/dist/**"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // Each test starts processes of its own: more files at once would time the machine, not the suite.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "soak",
          setupFiles: ["scripts/fixed-seed.ts", "e2e/support/tidy.setup.ts"],
          // Kill loops, races, load: `npm test` runs them too, as long as it takes to see them hold.
          include: ["e2e/**/*.soak.test.ts"],
          exclude: ["**/node_modules/**", "e2e/dist/**"],
          env: { SUITE_SOAK: "1" },
          testTimeout: 600_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
} satisfies ViteUserConfig;

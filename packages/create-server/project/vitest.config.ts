export default {
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["scripts/fixed-seed.ts"],
    // Real processes: a busy machine must not decide.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
} as const;

export default {
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["scripts/fixed-seed.ts"],
    // Real processes: a busy machine must not decide.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
} as const;

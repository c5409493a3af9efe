const proxies = Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$/i.test(name));
// The tests have them put aside (vitest.config.ts).
const certificates = process.env["TESTS_EXTRA_CA_CERTS"] || process.env["NODE_EXTRA_CA_CERTS"];

/** How this machine reaches others, for whatever installs packages. */
export const NETWORK: Readonly<NodeJS.ProcessEnv> = {
  ...Object.fromEntries(proxies),
  ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
};

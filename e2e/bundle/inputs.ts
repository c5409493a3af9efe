/** What a person fills in before a server starts. */
export interface Input {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly kind: "directory" | "file" | "secret";
  /** The variable it goes to; everything else is an argument. */
  readonly variable?: string;
}

export interface BundledServer {
  readonly package: string;
  readonly inputs: readonly Input[];
  /** Of whom it sends things to; what is not a whole address belongs to the homepage. */
  readonly privacyPolicies?: readonly string[];
}

export const BUNDLED_SERVERS: readonly BundledServer[] = [
  {
    package: "@suite/server-filesystem",
    inputs: [
      {
        key: "directories",
        title: "Directories",
        description: "Directories that the server may use. Everything else stays out of reach.",
        kind: "directory",
      },
    ],
  },
  {
    package: "@suite/server-git",
    inputs: [
      {
        key: "repositories",
        title: "Repositories",
        description: "Repositories that the server may use: their work trees.",
        kind: "directory",
      },
    ],
  },
  {
    package: "@suite/server-sqlite",
    inputs: [
      {
        key: "databases",
        title: "Databases",
        description: "Database files that the server may use.",
        kind: "file",
      },
    ],
  },
  {
    package: "@suite/server-fetch",
    inputs: [],
    privacyPolicies: ["#security"],
  },
  {
    package: "@suite/server-github",
    inputs: [
      {
        key: "token",
        title: "GitHub token",
        description: "A personal access token. What it may do is the most that the server can do.",
        kind: "secret",
        variable: "GITHUB_TOKEN",
      },
    ],
    privacyPolicies: [
      "https://docs.github.com/en/site-policy/privacy-policies/github-general-privacy-statement",
    ],
  },
];
